// UTF-8 text: counting and cutting by Unicode characters (scalar values), folding, normalizing.
// Texts are bytes; no function splits a character.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace base {

bool IsUtf8(std::string_view text);             // valid UTF-8, no surrogates, no overlong forms
std::string ToUtf8(std::string_view bytes);     // bad bytes become U+FFFD
size_t CountCharacters(std::string_view text);  // Unicode scalar values; text must be UTF-8
std::string_view Prefix(std::string_view text, size_t characters);  // at most `characters`
// At most `characters` characters; when cut, the last one is "…".
std::string Ellipsize(std::string_view text, size_t characters);
// Byte offset of the character border at or before / at or after `offset`.
size_t BorderBefore(std::string_view text, size_t offset);
size_t BorderAfter(std::string_view text, size_t offset);

std::string FoldCase(std::string_view text);      // Unicode case folding + NFC (utf8proc)
std::string StripAccents(std::string_view text);  // NFD without combining marks, back to NFC
std::string CollapseWhitespace(
    std::string_view text);                    // runs of Unicode white space → one blank, trimmed
std::string_view Trim(std::string_view text);  // removes ASCII white space at both ends
bool IsBlank(std::string_view text);           // empty or white space only (Unicode)

template <size_t N>
bool IsOneOf(std::string_view word, const std::string_view (&words)[N]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

std::vector<std::string> Split(std::string_view text, char separator);
std::string Join(const std::vector<std::string>& parts, std::string_view separator);
bool MatchesGlob(std::string_view pattern, std::string_view text);  // * and ?; mostly linear time

}  // namespace base
