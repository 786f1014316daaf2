// The soft match of rows: how near their words, and those of the rows beside them, are to each word
// of a question in meaning. Pure. signals.h weighs it.
#pragma once

#include <cstddef>
#include <cstdint>
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

// The soft match of each record, which are in order of places: the sum over the asked pieces of the
// nearest one in the window times the weight. `pieces`: of each record; empty: none.
std::vector<double> SoftMatches(std::span<const Record> records,
                                std::span<const std::span<const Piece>> pieces,
                                const AskedPieces& asked, const PieceMeaning& meaning);

}  // namespace memory
