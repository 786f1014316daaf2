// One character says as little as a function word: a mark, a digit, a letter.
#include "memory/table_pieces.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "lib/embedding/dot_batch.h"
#include "memory/model/word_lists.h"

namespace memory {
namespace {

constexpr size_t kAhead = 16, kLine = 64;  // rows, bytes of a cache line

int32_t DotOf(std::span<const int8_t> a, std::span<const int8_t> b) {
  int32_t product = 0;
  embedding::DotBatch(a, b, {&product, 1});
  return product;
}

}  // namespace

std::vector<Piece> TablePieces::PiecesOf(std::string_view text) const {
  const Facts& facts = Known();
  std::vector<Piece> pieces;
  for (const uint32_t piece : table_.Cut(text))
    if (!facts.function[piece]) pieces.push_back(static_cast<Piece>(piece));
  std::sort(pieces.begin(), pieces.end());
  pieces.erase(std::unique(pieces.begin(), pieces.end()), pieces.end());
  return pieces;
}

const TablePieces::Facts& TablePieces::Known() const {
  std::call_once(once_, [this] {
    std::string_view left = table_.vocabulary();
    for (uint32_t piece = 0; piece < table_.size(); ++piece) {
      const std::string_view text = left.substr(0, left.find('\n'));
      left.remove_prefix(std::min(left.size(), text.size() + 1));
      const std::span<const int8_t> row = table_.RowOf(piece);
      const int32_t square = DotOf(row, row);
      facts_.inverse.push_back(square > 0 ? 1 / std::sqrt(static_cast<float>(square)) : 0);
      facts_.function.push_back(text.size() < 2 || memory::IsFunctionWord(text));
    }
  });
  return facts_;
}

std::vector<PieceCosines> TablePieces::Compare(std::span<const Piece> pieces,
                                               std::span<const Piece> asked) const {
  static_assert(PieceCosines::kMost == embedding::DotEight::kMost);
  const Facts& facts = Known();
  asked = asked.first(std::min(asked.size(), PieceCosines::kMost));
  std::vector<int8_t> rows;
  std::vector<float> scales;
  for (size_t i = 0; i < asked.size(); ++i) {
    const std::span<const int8_t> row = table_.RowOf(asked[i]);
    rows.insert(rows.end(), row.begin(), row.end());
    scales.push_back(PieceCosines::kParts * facts.inverse[asked[i]]);
  }
  const embedding::DotEight questions(rows, table_.dimensions(), scales);
  std::vector<PieceCosines> cosines(pieces.size());
  std::array<uint8_t, PieceCosines::kMost> bytes;
  for (size_t i = 0; i < pieces.size(); ++i) {
    // Rows lie apart in a table that no cache holds: waiting for each would take most of the time.
    if (i + kAhead < pieces.size()) {
      const std::span<const int8_t> next = table_.RowOf(pieces[i + kAhead]);
      for (size_t at = 0; at < next.size(); at += kLine) __builtin_prefetch(next.data() + at);
      __builtin_prefetch(&facts.inverse[pieces[i + kAhead]]);
    }
    questions.Dot(table_.RowOf(pieces[i]), facts.inverse[pieces[i]], bytes);
    std::memcpy(&cosines[i].parts, bytes.data(), sizeof bytes);
  }
  return cosines;
}

}  // namespace memory
