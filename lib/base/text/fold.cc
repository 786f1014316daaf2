// Normal forms and case folding by utf8proc; two short lists have what utf8proc does not decompose.
#include "lib/base/text/fold.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "lib/base/text/characters.h"
#include "lib/base/text/text.h"

namespace base {
namespace {

bool HasAsciiOnly(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// The first of ten decimal digits.
constexpr uint32_t kZeros[] = {0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6,
                               0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66, 0x0DE6, 0x0E50,
                               0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810};

utf8proc_int32_t Unify(utf8proc_int32_t signed_code, void*) {
  const auto code = static_cast<uint32_t>(signed_code);
  if (code < 0x0660) return signed_code;
  if (code == 0x2010 || code == 0x2011 || code == 0x2012 || code == 0x2212) return '-';
  const auto* zero = std::upper_bound(std::begin(kZeros), std::end(kZeros), code);
  if (zero == std::begin(kZeros) || code - *(zero - 1) > 9) return signed_code;
  return static_cast<utf8proc_int32_t>('0' + (code - *(zero - 1)));
}

struct SameLetter {
  uint32_t code;
  const char* as;
};
constexpr SameLetter kSameLetters[] = {{0x00E6, "ae"}, {0x00F8, "o"}, {0x0111, "d"},  {0x0127, "h"},
                                       {0x0131, "i"},  {0x0142, "l"}, {0x0153, "oe"}, {0x0167, "t"},
                                       {0x0649, "ي"},  {0x06A9, "ك"}, {0x06CC, "ي"}};

// Accents and points that people may omit.
bool IsOptional(uint32_t mark, uint32_t letter) {
  if (mark >= 0x0300 && mark <= 0x036F) {
    if (letter == 0x0438 && mark == 0x0306) return false;  // й
    const uint32_t script = ScriptOf(letter);
    return script == ScriptOf('a') || script == ScriptOf(0x03B1) || script == ScriptOf(0x0430);
  }
  return (mark >= 0x0591 && mark <= 0x05C7) || (mark >= 0x0610 && mark <= 0x061A) ||
         mark == 0x0640 || (mark >= 0x064B && mark <= 0x065F) || mark == 0x0670 ||
         (mark >= 0x06D6 && mark <= 0x06ED);
}

void AppendLetter(std::string& text, uint32_t code) {
  utf8proc_uint8_t bytes[4];
  const auto size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(code), bytes);
  text.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
}

std::string Mapped(std::string_view text, int options, utf8proc_custom_func each = nullptr) {
  utf8proc_uint8_t* mapped = nullptr;
  const utf8proc_ssize_t length =
      utf8proc_map_custom(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                          static_cast<utf8proc_ssize_t>(text.size()), &mapped,
                          static_cast<utf8proc_option_t>(options), each, nullptr);
  if (length < 0) return std::string(text);  // not UTF-8: unchanged
  std::string out(reinterpret_cast<char*>(mapped), static_cast<size_t>(length));
  std::free(mapped);
  return out;
}

constexpr int kCompatible = UTF8PROC_STABLE | UTF8PROC_COMPAT | UTF8PROC_IGNORE;

}  // namespace

std::string NormalizeForms(std::string_view text) {
  if (HasAsciiOnly(text)) return std::string(text);
  return Mapped(text, kCompatible | UTF8PROC_COMPOSE, Unify);
}

std::string FoldWord(std::string_view word) {
  if (HasAsciiOnly(word)) return FoldCase(word);
  const std::string apart = Mapped(word, kCompatible | UTF8PROC_DECOMPOSE | UTF8PROC_CASEFOLD);
  std::string kept;
  uint32_t letter = 0;
  for (size_t at = 0; at < apart.size();) {
    const Scalar c = ScalarAt(apart, at);
    at += c.size;
    if (c.code >= 0x0300 && IsOptional(c.code, letter)) continue;
    const SameLetter* same =
        std::lower_bound(std::begin(kSameLetters), std::end(kSameLetters), c.code,
                         [](const SameLetter& a, uint32_t code) { return a.code < code; });
    if (same != std::end(kSameLetters) && same->code == c.code)
      kept += same->as;
    else
      AppendLetter(kept, c.code);
    if (ScriptOf(c.code) != 0) letter = c.code;
  }
  return HasAsciiOnly(kept) ? kept : Mapped(kept, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
}

}  // namespace base
