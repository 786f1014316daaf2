// One character says as little as a function word: a mark, a digit, a letter.
#include "memory/table_pieces.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "lib/embedding/dot_batch.h"
#include "memory/model/word_lists.h"

namespace memory {
namespace {

constexpr float kParts = 255;
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

std::vector<uint8_t> TablePieces::Compare(std::span<const Piece> pieces,
                                          std::span<const Piece> asked) const {
  const Facts& facts = Known();
  std::vector<int8_t> rows(pieces.size() * table_.dimensions());
  std::vector<float> inverse;
  inverse.reserve(pieces.size());
  for (size_t i = 0; i < pieces.size(); ++i) {
    // Rows lie apart in a table that no cache holds: waiting for each would take most of the time.
    if (i + kAhead < pieces.size()) {
      const std::span<const int8_t> next = table_.RowOf(pieces[i + kAhead]);
      for (size_t at = 0; at < next.size(); at += kLine) __builtin_prefetch(next.data() + at);
      __builtin_prefetch(&facts.inverse[pieces[i + kAhead]]);
    }
    std::memcpy(rows.data() + i * table_.dimensions(), table_.RowOf(pieces[i]).data(),
                table_.dimensions());
    inverse.push_back(facts.inverse[pieces[i]]);
  }
  std::vector<int32_t> products(pieces.size());
  std::vector<uint8_t> cosines(pieces.size() * asked.size());
  for (size_t i = 0; i < asked.size(); ++i) {
    embedding::DotBatch(table_.RowOf(asked[i]), rows, products);
    const float scale = kParts * facts.inverse[asked[i]];
    for (size_t at = 0; at < pieces.size(); ++at) {
      const float parts = static_cast<float>(products[at]) * inverse[at] * scale + 0.5F;
      cosines[at * asked.size() + i] = static_cast<uint8_t>(std::clamp(parts, 0.0F, kParts));
    }
  }
  return cosines;
}

}  // namespace memory
