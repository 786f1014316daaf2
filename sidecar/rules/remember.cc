// Compares a few fixed beginnings, ignoring case.
#include "sidecar/rules/remember.h"

#include <algorithm>

#include "lib/api/memory_api.h"
#include "lib/base/text/text.h"

namespace sidecar {
namespace {

constexpr size_t kTitleCharacters = 120;

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// Removes `word`, in lower case, and the following blanks from the front.
bool Take(std::string_view& text, std::string_view word) {
  if (text.size() < word.size()) return false;
  if (!std::equal(word.begin(), word.end(), text.begin(),
                  [](char a, char b) { return a == Lower(b); }))
    return false;
  const std::string_view rest = text.substr(word.size());
  const std::string_view trimmed =
      rest.substr(std::min(rest.find_first_not_of(" \t"), rest.size()));
  // Matches whole words only, not "remembers".
  const bool word_ends = word.ends_with(':') || trimmed.size() < rest.size() || rest.empty() ||
                         rest[0] == ':' || rest[0] == ',';
  if (word_ends) text = trimmed;
  return word_ends;
}

std::string_view FirstParagraph(std::string_view text) {
  for (size_t end = text.find('\n'); end != std::string_view::npos;
       end = text.find('\n', end + 1)) {
    const size_t next = text.find('\n', end + 1);
    const std::string_view line = text.substr(
        end + 1, next == std::string_view::npos ? std::string_view::npos : next - end - 1);
    if (base::Trim(line).empty()) return base::Trim(text.substr(0, end));
  }
  return text;
}

}  // namespace

std::optional<std::string> AskedToRemember(std::string_view prompt) {
  std::string_view text = base::Trim(prompt);
  if (Take(text, "please")) Take(text, ",");
  if (!Take(text, "remember") && !Take(text, "don't forget") && !Take(text, "don\u2019t forget") &&
      !Take(text, "do not forget"))
    return std::nullopt;
  text = FirstParagraph(text);
  if (!Take(text, ":")) {
    Take(text, ",");
    if (!Take(text, "that") || text.ends_with('?')) return std::nullopt;
    Take(text, ":");
  }
  text = base::Trim(text);
  if (text.empty()) return std::nullopt;
  return std::string(base::Prefix(text, kMostRemembered));
}

Capture Remembered(std::string_view words) {
  Capture capture;
  capture.rule = kRememberRule;
  capture.type = "preference";
  capture.scope = "project";
  capture.title = base::Ellipsize(words.substr(0, words.find('\n')), kTitleCharacters);
  capture.content = words;
  capture.trust = api::kOriginUser;
  capture.topic_key = "remember/" + api::NormalizedHash(words).substr(0, 16);
  return capture;
}

}  // namespace sidecar
