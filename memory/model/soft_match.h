// The soft match of rows: how near their words, and those of the rows beside them, are to each word
// of a question in meaning. Pure. signals.h weighs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "memory/model/piece_meaning.h"
#include "memory/model/scoring.h"

namespace memory {

// The pieces of a question that count most, and their weights.
struct AskedPieces {
  static constexpr size_t kMost = PieceCosines::kMost;
  std::vector<Piece> pieces;
  std::vector<double> weights;
};

// `with`: in how many of `rows` rows each of `pieces` is.
AskedPieces WeighPieces(std::span<const Piece> pieces, std::span<const double> with, double rows);

// The soft match of each wanted record: the sum over the asked pieces of the nearest one in the
// window times the weight; 0 for the others. `records` are in order of places; `pieces_of` is
// called for those in a window of a wanted one.
std::vector<double> SoftMatches(
    std::span<const Record> records, const std::vector<bool>& wanted,
    const std::function<std::span<const Piece>(const Record&)>& pieces_of, const AskedPieces& asked,
    const PieceMeaning& meaning);

}  // namespace memory
