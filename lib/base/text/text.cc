// UTF-8 by our own small decoder (RFC 3629) and Unicode properties by utf8proc.
#include "lib/base/text/text.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "lib/base/check.h"

namespace base {
namespace {

// The length of the well-formed sequence at `at`; 0: malformed (Unicode 15, table 3-7).
size_t SequenceLength(std::string_view text, size_t at) {
  auto byte = [&](size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u;
  };
  auto trail = [&](size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  unsigned lead = byte(0), second = byte(1);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return trail(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    bool fits = trail(1) && trail(2) && !(lead == 0xE0 && second < 0xA0) &&
                !(lead == 0xED && second > 0x9F);
    return fits ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    bool fits = trail(1) && trail(2) && trail(3) && !(lead == 0xF0 && second < 0x90) &&
                !(lead == 0xF4 && second > 0x8F);
    return fits ? 4 : 0;
  }
  return 0;
}

bool IsTrail(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

std::string Map(std::string_view text, int options) {
  utf8proc_uint8_t* mapped = nullptr;
  utf8proc_ssize_t length = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                         static_cast<utf8proc_ssize_t>(text.size()), &mapped,
                                         static_cast<utf8proc_option_t>(options));
  if (length < 0) return std::string(text);  // not UTF-8: unchanged
  std::string out(reinterpret_cast<char*>(mapped), static_cast<size_t>(length));
  std::free(mapped);
  return out;
}

bool IsAscii(std::string_view text) {
  for (char c : text) {
    if (static_cast<unsigned char>(c) >= 0x80) return false;
  }
  return true;
}

// Unicode white space; `length`: of the character at `at`.
bool IsSpaceAt(std::string_view text, size_t at, size_t length) {
  unsigned char c = static_cast<unsigned char>(text[at]);
  if (length == 1) return c == ' ' || (c >= 9 && c <= 13);
  utf8proc_int32_t point = 0;
  utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + at,
                   static_cast<utf8proc_ssize_t>(length), &point);
  utf8proc_category_t category = utf8proc_category(point);
  return category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL ||
         category == UTF8PROC_CATEGORY_ZP || point == 0x85;
}

}  // namespace

bool IsUtf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    size_t length = SequenceLength(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

std::string ToUtf8(std::string_view bytes) {
  if (IsUtf8(bytes)) return std::string(bytes);
  std::string out;
  for (size_t at = 0; at < bytes.size();) {
    size_t length = SequenceLength(bytes, at);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      ++at;
    } else {
      out += bytes.substr(at, length);
      at += length;
    }
  }
  return out;
}

size_t CountCharacters(std::string_view text) {
  size_t count = 0;
  for (char c : text) count += !IsTrail(c);
  return count;
}

std::string_view Prefix(std::string_view text, size_t characters) {
  for (size_t at = 0, count = 0; at < text.size(); ++at) {
    if (!IsTrail(text[at]) && count++ == characters) return text.substr(0, at);
  }
  return text;
}

std::string Ellipsize(std::string_view text, size_t characters) {
  if (Prefix(text, characters).size() == text.size()) return std::string(text);
  if (characters == 0) return {};
  return std::string(Prefix(text, characters - 1)) + "…";
}

size_t BorderBefore(std::string_view text, size_t offset) {
  if (offset >= text.size()) return text.size();
  while (offset > 0 && IsTrail(text[offset])) --offset;
  return offset;
}

size_t BorderAfter(std::string_view text, size_t offset) {
  while (offset < text.size() && IsTrail(text[offset])) ++offset;
  return offset < text.size() ? offset : text.size();
}

std::string FoldCase(std::string_view text) {
  if (IsAscii(text)) {
    std::string out(text);
    for (char& c : out) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    }
    return out;
  }
  return Map(text, UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD);
}

std::string StripAccents(std::string_view text) {
  if (IsAscii(text)) return std::string(text);
  return Map(text, UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_STRIPMARK);
}

std::string CollapseWhitespace(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool blank = false;
  for (size_t at = 0; at < text.size();) {
    const bool ascii = static_cast<unsigned char>(text[at]) < 0x80;
    const size_t length = ascii ? 1 : std::max<size_t>(1, SequenceLength(text, at));
    if (IsSpaceAt(text, at, length)) {
      blank = !out.empty();
    } else {
      if (blank) out += ' ';
      blank = false;
      out.append(text, at, length);
    }
    at += length;
  }
  return out;
}

std::string_view Trim(std::string_view text) {
  auto space = [](char c) { return c == ' ' || (c >= 9 && c <= 13); };
  while (!text.empty() && space(text.front())) text.remove_prefix(1);
  while (!text.empty() && space(text.back())) text.remove_suffix(1);
  return text;
}

bool IsBlank(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t length = std::max<size_t>(1, SequenceLength(text, at));
    if (!IsSpaceAt(text, at, length)) return false;
    at += length;
  }
  return true;
}

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (size_t start = 0;;) {
    size_t end = text.find(separator, start);
    parts.emplace_back(text.substr(start, end == std::string_view::npos ? end : end - start));
    if (end == std::string_view::npos) return parts;
    start = end + 1;
  }
}

std::string Join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i) out += separator;
    out += parts[i];
  }
  return out;
}

bool MatchesGlob(std::string_view pattern, std::string_view text) {
  // On a mismatch only the last * has to be tried again, one byte further: linear in practice,
  // at most |pattern| · |text|.
  size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      if (pattern[p] == '?') t = BorderAfter(text, t + 1) - 1;  // ? matches a whole character
      ++p, ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace base
