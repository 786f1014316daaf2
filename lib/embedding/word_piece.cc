// Cleans, splits and matches in one pass over the characters, in the order of the table's
// tokenizer: blanks and controls, ideographs, NFD without marks, lower case, punctuation.
#include "lib/embedding/word_piece.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <string>

#include "lib/base/text/text.h"

namespace embedding {
namespace {

constexpr size_t kMostOfAWord = 100;  // characters; longer words have no pieces

bool IsIn(utf8proc_int32_t point, utf8proc_int32_t first, utf8proc_int32_t last) {
  return point >= first && point <= last;
}

bool IsBlankPoint(utf8proc_int32_t point, utf8proc_category_t category) {
  return point == '\t' || point == '\n' || point == '\r' || category == UTF8PROC_CATEGORY_ZS ||
         category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP;
}

bool IsDropped(utf8proc_int32_t point, utf8proc_category_t category) {
  return point == 0xFFFD || category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF ||
         category == UTF8PROC_CATEGORY_CO || category == UTF8PROC_CATEGORY_CN;
}

bool IsIdeograph(utf8proc_int32_t point) {
  return IsIn(point, 0x3400, 0x4DBF) || IsIn(point, 0x4E00, 0x9FFF) ||
         IsIn(point, 0xF900, 0xFAFF) || IsIn(point, 0x20000, 0x2CEAF) ||
         IsIn(point, 0x2F800, 0x2FA1F);
}

bool IsPunctuation(utf8proc_int32_t point) {
  if (point < 0x80)  // includes Unicode's symbols: $ + < = > ^ ` | ~
    return IsIn(point, '!', '/') || IsIn(point, ':', '@') || IsIn(point, '[', '`') ||
           IsIn(point, '{', '~');
  const utf8proc_category_t category = utf8proc_category(point);
  return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

bool GoesOn(std::string_view piece) { return piece.size() > 2 && piece.starts_with("##"); }

}  // namespace

WordPiece::WordPiece(std::string_view vocabulary) : vocabulary_(vocabulary) {
  lines_.reserve(static_cast<size_t>(std::ranges::count(vocabulary, '\n')) + 2);
  size_t at = 0;
  for (; at < vocabulary.size(); at = std::min(vocabulary.find('\n', at), vocabulary.size()) + 1)
    lines_.push_back(static_cast<uint32_t>(at));
  lines_.push_back(static_cast<uint32_t>(at));
  slots_.assign(std::bit_ceil(2 * size()), 0);
  for (uint32_t number = 0; number < size(); ++number) {
    std::string_view piece = PieceAt(number);
    const bool goes_on = GoesOn(piece);
    if (goes_on) piece.remove_prefix(2);
    longest_ = std::max(longest_, piece.size());
    uint32_t& slot = slots_[SlotOf(piece, goes_on)];
    if (slot == 0) slot = number + 1;
  }
}

std::string_view WordPiece::PieceAt(uint32_t number) const {
  return vocabulary_.substr(lines_[number], lines_[number + 1] - lines_[number] - 1);
}

size_t WordPiece::SlotOf(std::string_view piece, bool goes_on) const {
  const size_t mask = slots_.size() - 1;
  for (size_t at = std::hash<std::string_view>()(piece) + (goes_on ? 1 : 0);; ++at) {
    const uint32_t slot = slots_[at & mask];
    if (slot == 0) return at & mask;
    std::string_view there = PieceAt(slot - 1);
    if (GoesOn(there) != goes_on) continue;
    if (goes_on) there.remove_prefix(2);
    if (there == piece) return at & mask;
  }
}

void WordPiece::CutWord(Word& word, std::vector<uint32_t>& pieces) const {
  const std::string_view text = word.characters <= kMostOfAWord ? word.text : std::string_view();
  const size_t before = pieces.size();
  for (size_t at = 0; at < text.size();) {
    size_t length = std::min(longest_, text.size() - at);
    uint32_t piece = 0;
    for (; length > 0; --length)
      if (piece = slots_[SlotOf(text.substr(at, length), at > 0)]; piece > 0) break;
    if (length == 0) {
      pieces.resize(before);
      break;
    }
    pieces.push_back(piece - 1);
    at += length;
  }
  word = {};
}

std::vector<uint32_t> WordPiece::Cut(std::string_view text) const {
  text = text.substr(0, base::BorderBefore(text, std::min(text.size(), kMostBytes)));
  std::vector<uint32_t> pieces;
  Word word;
  const auto add = [&](utf8proc_int32_t point) {
    std::array<utf8proc_uint8_t, 4> bytes{};
    const utf8proc_ssize_t size = utf8proc_encode_char(point, bytes.data());
    if (++word.characters <= kMostOfAWord)
      word.text.append(reinterpret_cast<const char*>(bytes.data()), static_cast<size_t>(size));
  };
  while (!text.empty()) {
    utf8proc_int32_t point = 0;
    const utf8proc_ssize_t read =
        utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                         static_cast<utf8proc_ssize_t>(text.size()), &point);
    text.remove_prefix(read > 0 ? static_cast<size_t>(read) : 1);
    if (read <= 0) continue;  // an invalid byte is U+FFFD, which IsDropped drops
    const utf8proc_category_t category = utf8proc_category(point);
    const bool blank = IsBlankPoint(point, category), ideograph = IsIdeograph(point);
    if (blank || ideograph) CutWord(word, pieces);
    if (blank || IsDropped(point, category)) continue;
    std::array<utf8proc_int32_t, 16> parts{};
    int last_class = 0;
    const utf8proc_ssize_t count =
        utf8proc_decompose_char(point, parts.data(), parts.size(), UTF8PROC_DECOMPOSE, &last_class);
    for (utf8proc_ssize_t i = 0; i < std::min<utf8proc_ssize_t>(count, parts.size()); ++i) {
      if (utf8proc_category(parts[i]) == UTF8PROC_CATEGORY_MN) continue;
      const utf8proc_int32_t lower = utf8proc_tolower(parts[i]);
      const bool alone = IsPunctuation(lower);
      if (alone) CutWord(word, pieces);
      add(lower);
      if (alone) CutWord(word, pieces);
    }
    if (ideograph) CutWord(word, pieces);
  }
  CutWord(word, pieces);
  return pieces;
}

}  // namespace embedding
