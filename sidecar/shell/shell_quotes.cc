// One walk over the text; a backslash before anything else stands for itself.
#include "sidecar/shell/shell_quotes.h"

#include <algorithm>
#include <cstdint>

namespace sidecar {
namespace {

int DigitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

// At most `most` digits of `base` from `at` on, which is moved behind them.
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
    out += '?';  // no name of a program or a directory that a list holds
  }
}

}  // namespace

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

}  // namespace sidecar
