// Cleans, splits and matches in one pass over the characters, in the order of the table's
// tokenizer: blanks and controls, ideographs, NFD without marks, lower case, punctuation.
#include "lib/embedding/word_piece.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include "lib/base/text/text.h"

namespace embedding {
namespace {

constexpr size_t kMostOfAWord = 100;  // characters; longer words have no pieces

// A slot has the number of a piece + 1 in its lower bits and bits of its hash above: nearly all
// other pieces of a chain are told apart without a look into the vocabulary.
constexpr int kNumberBits = 21;
constexpr uint32_t kNumber = (1U << kNumberBits) - 1;

// FNV-1a, which yields the hashes of all prefixes in one pass.
constexpr uint64_t kBegins = 0xcbf29ce484222325, kGoesOn = 0x9ae16a3b2f90404f;
constexpr uint64_t Hash(uint64_t before, char next) {
  return (before ^ static_cast<unsigned char>(next)) * 0x100000001b3;
}
constexpr uint64_t Mix(uint64_t hash) { return hash ^ (hash >> 29); }
constexpr uint32_t MarkOf(uint64_t hash) {
  return static_cast<uint32_t>(hash >> 53) << kNumberBits;
}

constexpr bool IsIn(utf8proc_int32_t point, utf8proc_int32_t first, utf8proc_int32_t last) {
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

// Includes Unicode's symbols: $ + < = > ^ ` | ~
constexpr bool IsAsciiPunctuation(utf8proc_int32_t point) {
  return IsIn(point, '!', '/') || IsIn(point, ':', '@') || IsIn(point, '[', '`') ||
         IsIn(point, '{', '~');
}

bool IsPunctuation(utf8proc_int32_t point) {
  if (point < 0x80) return IsAsciiPunctuation(point);
  const utf8proc_category_t category = utf8proc_category(point);
  return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

bool GoesOn(std::string_view piece) { return piece.size() > 2 && piece.starts_with("##"); }

enum class Ascii : uint8_t { kOther, kBlank, kDropped, kPunctuation };

// What the general path decides of each ASCII character.
constexpr std::array<Ascii, 0x80> kAscii = [] {
  std::array<Ascii, 0x80> all{};
  for (int point = 0; point < 0x80; ++point) {
    Ascii& one = all[static_cast<size_t>(point)];
    if (point == '\t' || point == '\n' || point == '\r' || point == ' ')
      one = Ascii::kBlank;
    else if (point < ' ' || point == 0x7F)
      one = Ascii::kDropped;
    else if (IsAsciiPunctuation(point))
      one = Ascii::kPunctuation;
  }
  return all;
}();

}  // namespace

WordPiece::WordPiece(std::string_view vocabulary) : vocabulary_(vocabulary) {
  lines_.reserve(static_cast<size_t>(std::ranges::count(vocabulary, '\n')) + 2);
  size_t at = 0;
  for (; at < vocabulary.size(); at = std::min(vocabulary.find('\n', at), vocabulary.size()) + 1)
    lines_.push_back(static_cast<uint32_t>(at));
  lines_.push_back(static_cast<uint32_t>(at));
  slots_.assign(std::bit_ceil(2 * size()), 0);
  bits_.assign(std::bit_ceil(8 * size() + 64) / 64, 0);
  for (uint32_t number = 0; number < std::min<size_t>(size(), kNumber - 1); ++number) {
    std::string_view piece = PieceAt(number);
    const bool goes_on = GoesOn(piece);
    if (goes_on) piece.remove_prefix(2);
    longest_ = std::max(longest_, piece.size());
    uint64_t hash = goes_on ? kGoesOn : kBegins;
    for (char c : piece) hash = Hash(hash, c);
    hash = Mix(hash);
    uint32_t& slot = slots_[SlotOf(piece, goes_on, hash)];
    if (slot == 0) slot = (number + 1) | MarkOf(hash);
    bits_[BitOf(hash) / 64] |= uint64_t{1} << (BitOf(hash) % 64);
  }
}

std::string_view WordPiece::PieceAt(uint32_t number) const {
  return vocabulary_.substr(lines_[number], lines_[number + 1] - lines_[number] - 1);
}

size_t WordPiece::SlotOf(std::string_view piece, bool goes_on, uint64_t hash) const {
  const size_t mask = slots_.size() - 1;
  for (size_t at = hash;; ++at) {
    const uint32_t slot = slots_[at & mask];
    if (slot == 0) return at & mask;
    if ((slot & ~kNumber) != MarkOf(hash)) continue;
    std::string_view there = PieceAt((slot & kNumber) - 1);
    if (GoesOn(there) != goes_on) continue;
    if (goes_on) there.remove_prefix(2);
    if (there == piece) return at & mask;
  }
}

void WordPiece::CutWord(Word& word, std::vector<uint32_t>& pieces) const {
  const std::string_view text = word.characters <= kMostOfAWord ? word.text : std::string_view();
  const size_t before = pieces.size();
  std::array<uint64_t, 4 * kMostOfAWord + 1> hashes;  // of the prefixes of what is left
  for (size_t at = 0; at < text.size();) {
    size_t length = std::min(longest_, text.size() - at);
    hashes[0] = at > 0 ? kGoesOn : kBegins;
    for (size_t i = 0; i < length; ++i) hashes[i + 1] = Hash(hashes[i], text[at + i]);
    uint32_t piece = 0;
    for (; length > 0; --length) {
      const uint64_t hash = Mix(hashes[length]);
      if (!MayBePiece(hash)) continue;
      piece = slots_[SlotOf(text.substr(at, length), at > 0, hash)] & kNumber;
      if (piece > 0) break;
    }
    if (length == 0) {
      pieces.resize(before);
      break;
    }
    pieces.push_back(piece - 1);
    at += length;
  }
  word.text.clear();
  word.characters = 0;
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
    if (const auto c = static_cast<unsigned char>(text[0]); c < 0x80) {
      text.remove_prefix(1);
      const Ascii kind = kAscii[c];
      if (kind == Ascii::kDropped) continue;
      if (kind != Ascii::kOther) CutWord(word, pieces);
      if (kind == Ascii::kBlank) continue;
      if (++word.characters <= kMostOfAWord)
        word.text += static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
      if (kind == Ascii::kPunctuation) CutWord(word, pieces);
      continue;
    }
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
