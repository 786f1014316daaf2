// Properties by utf8proc; scripts by the ranges of their blocks (Unicode 15, Blocks.txt).
#include "lib/base/text/characters.h"

#include <utf8proc.h>

#include <algorithm>
#include <iterator>

namespace base {
namespace {

struct Range {
  uint32_t first, last, script;
};

bool EndsBefore(const Range& range, uint32_t code) { return range.last < code; }

template <size_t N>
const Range* Find(const Range (&ranges)[N], uint32_t code) {
  const Range* at = std::lower_bound(std::begin(ranges), std::end(ranges), code, EndsBefore);
  return at != std::end(ranges) && at->first <= code ? at : nullptr;
}

constexpr Range kUnspaced[] = {{0x0E00, 0x0EFF, 1},     // Thai, Lao
                               {0x1000, 0x109F, 1},     // Myanmar
                               {0x1100, 0x11FF, 1},     // Hangul Jamo
                               {0x1780, 0x17FF, 1},     // Khmer
                               {0x1950, 0x19FF, 1},     // Tai Le, New Tai Lue, Khmer symbols
                               {0x1A20, 0x1AAF, 1},     // Tai Tham
                               {0x1B00, 0x1B7F, 1},     // Balinese
                               {0x2E80, 0x2FDF, 1},     // CJK radicals
                               {0x3005, 0x3007, 1},     // 々 〆 〇
                               {0x3040, 0x318F, 1},     // Kana, Bopomofo, Hangul
                               {0x31A0, 0x31BF, 1},     // Bopomofo
                               {0x31F0, 0x31FF, 1},     // Kana
                               {0x3400, 0x4DBF, 1},     // CJK
                               {0x4E00, 0x9FFF, 1},     // CJK
                               {0xA000, 0xA4CF, 1},     // Yi
                               {0xA960, 0xA9FF, 1},     // Hangul Jamo, Javanese, Myanmar
                               {0xAA60, 0xAADF, 1},     // Myanmar, Tai Viet
                               {0xAC00, 0xD7FF, 1},     // Hangul
                               {0xF900, 0xFAFF, 1},     // CJK
                               {0xFF66, 0xFF9F, 1},     // Kana of half width
                               {0x12000, 0x1254F, 1},   // Cuneiform
                               {0x13000, 0x1345F, 1},   // Egyptian hieroglyphs
                               {0x16FE0, 0x18D7F, 1},   // Tangut, Khitan
                               {0x1AFF0, 0x1B2FF, 1},   // Kana, Nushu
                               {0x20000, 0x3FFFF, 1}};  // CJK

// Scripts of several blocks; others are told apart by their blocks of 128 characters.
constexpr Range kScripts[] = {{0x0000, 0x02AF, 1},   // Latin
                              {0x0370, 0x03FF, 2},   // Greek
                              {0x0400, 0x052F, 3},   // Cyrillic
                              {0x0530, 0x058F, 4},   // Armenian
                              {0x0590, 0x05FF, 5},   // Hebrew
                              {0x0600, 0x06FF, 6},   // Arabic
                              {0x0750, 0x077F, 6},   // Arabic
                              {0x0870, 0x08FF, 6},   // Arabic
                              {0x10A0, 0x10FF, 7},   // Georgian
                              {0x1200, 0x139F, 8},   // Ethiopic
                              {0x13A0, 0x13FF, 9},   // Cherokee
                              {0x1400, 0x167F, 10},  // Canadian syllabics
                              {0x1800, 0x18AF, 11},  // Mongolian
                              {0x1C80, 0x1C8F, 3},   // Cyrillic
                              {0x1C90, 0x1CBF, 7},   // Georgian
                              {0x1E00, 0x1EFF, 1},   // Latin
                              {0x1F00, 0x1FFF, 2},   // Greek
                              {0x2C60, 0x2C7F, 1},   // Latin
                              {0x2D00, 0x2D2F, 7},   // Georgian
                              {0x2D80, 0x2DDF, 8},   // Ethiopic
                              {0x2DE0, 0x2DFF, 3},   // Cyrillic
                              {0xA500, 0xA63F, 12},  // Vai
                              {0xA640, 0xA69F, 3},   // Cyrillic
                              {0xA720, 0xA7FF, 1},   // Latin
                              {0xAB00, 0xAB2F, 8},   // Ethiopic
                              {0xAB30, 0xAB6F, 1},   // Latin
                              {0xAB70, 0xABBF, 9},   // Cherokee
                              {0xFB00, 0xFB06, 1},   // Latin
                              {0xFB1D, 0xFB4F, 5},   // Hebrew
                              {0xFB50, 0xFDFF, 6},   // Arabic
                              {0xFE70, 0xFEFF, 6}};  // Arabic

utf8proc_category_t CategoryOf(uint32_t code) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(code));
}

}  // namespace

Scalar ScalarAt(std::string_view text, size_t at) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned lead = byte(0);
  const size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (at + size > text.size()) return {0xFFFD, 1};
  uint32_t code = size == 1 ? lead : lead & (0xFFu >> (size + 1));
  for (size_t i = 1; i < size; ++i) code = code << 6 | (byte(i) & 0x3Fu);
  return {code, size};
}

bool IsWordCharacter(uint32_t c) {
  if (c < 0x80) return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  const utf8proc_category_t category = CategoryOf(c);
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NO;
}

bool IsUpperCase(uint32_t c) {
  if (c < 0x80) return c >= 'A' && c <= 'Z';
  const utf8proc_category_t category = CategoryOf(c);
  return category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_LT;
}

bool IsMark(uint32_t c) {
  if (c < 0x0300) return false;
  const utf8proc_category_t category = CategoryOf(c);
  return category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME;
}

bool IsUnspaced(uint32_t code) { return code >= 0x0E00 && Find(kUnspaced, code); }

uint32_t ScriptOf(uint32_t code) {
  if (code < 0x80) return (code | 0x20) >= 'a' && (code | 0x20) <= 'z';
  const utf8proc_category_t category = CategoryOf(code);
  if (category < UTF8PROC_CATEGORY_LU || category > UTF8PROC_CATEGORY_LO) return 0;
  if (category == UTF8PROC_CATEGORY_LM) return 0;
  if (const Range* range = Find(kScripts, code)) return range->script;
  return 0x100 + (code >> 7);
}

}  // namespace base
