// Keywords by tables; escapes in one walk, in which an unknown one stands for itself.
#include "sidecar/shell/shell_grammar.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "lib/base/text/text.h"

namespace sidecar {
namespace {

constexpr std::string_view kBeforeCommand[] = {"!",    "{",  "}",     "if",    "then", "else",
                                               "elif", "do", "while", "until", "time", "coproc"};
constexpr std::string_view kCompounds[] = {"{",  "(",   "((",   "while",  "until",
                                           "if", "for", "case", "select", "[["};

int DigitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

// Reads at most `most` digits of `base`, and advances `at` past them.
uint32_t ReadNumber(std::string_view text, size_t& at, int base, size_t most) {
  uint32_t value = 0;
  for (const size_t end = std::min(at + most, text.size()); at < end && DigitOf(text[at]) < base;
       ++at) {
    value = value * static_cast<uint32_t>(base) + static_cast<uint32_t>(DigitOf(text[at]));
  }
  return value;
}

void AppendUtf8(std::string& out, uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += '?';  // an approximation: no listed program or directory has such a character
  }
}

}  // namespace

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool IsAssignment(std::string_view word) {
  const size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 &&
         std::all_of(word.begin(), word.begin() + equals, IsNameCharacter);
}

bool IsBeforeCommand(std::string_view word) { return base::IsOneOf(word, kBeforeCommand); }

bool IsCompound(std::string_view rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  if (rest.starts_with("(")) return true;
  return base::IsOneOf(rest.substr(0, rest.find_first_of(" \t\r\n;&|(")), kCompounds);
}

size_t EndOfDescriptor(std::string_view text, size_t at) {
  const size_t end = std::min(text.find_first_not_of("0123456789-", at), text.size());
  const bool ends = end == text.size() ||
                    std::string_view(" \t\r\n;&|()<>").find(text[end]) != std::string_view::npos;
  return ends ? end : at;
}

size_t EndOfName(std::string_view text, size_t at) {
  if (at < text.size() && (text[at] == '@' || text[at] == '*')) return at + 1;
  while (at < text.size() && IsNameCharacter(text[at])) ++at;
  return at;
}

bool Substitutes(std::string_view text) {
  return text.find("$(") != std::string_view::npos || text.find('`') != std::string_view::npos;
}

std::string DecodeEscapes(std::string_view text) {
  constexpr std::string_view kLetters = "abeEfnrtv\\'\"?";
  constexpr std::string_view kMeanings = "\a\b\x1b\x1b\f\n\r\t\v\\'\"?";
  std::string out;
  for (size_t at = 0; at < text.size();) {
    if (text[at] != '\\' || at + 1 >= text.size()) {
      out += text[at++];
      continue;
    }
    const char next = text[at + 1];
    at += 2;
    uint32_t code = 0;
    if (const size_t letter = kLetters.find(next); letter != std::string_view::npos) {
      out += kMeanings[letter];
      continue;
    }
    if (next == 'x') {
      code = ReadNumber(text, at, 16, 2);
    } else if (next == 'u' || next == 'U') {
      AppendUtf8(out, ReadNumber(text, at, 16, next == 'u' ? 4 : 8));
      continue;
    } else if (next >= '0' && next <= '7') {
      --at;
      code = ReadNumber(text, at, 8, next == '0' ? 4 : 3);
    } else {
      out += '\\';
      out += next;
      continue;
    }
    if (code % 256 == 0) return out;
    out += static_cast<char>(code % 256);
  }
  return out;
}

bool TimeOptions::Consumes(std::string_view word) {
  if (value_) {
    value_ = false;
    return true;
  }
  const bool option = word.starts_with("-");
  value_ = word == "--format" || word == "--output" ||
           (option && (word.ends_with("f") || word.ends_with("o")));
  return option;
}

}  // namespace sidecar
