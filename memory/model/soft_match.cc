// Max pooling of the cosines of single pieces, as in "MaxSim" of late interaction (Khattab and
// Zaharia, "ColBERT", 2020), over the rows of a window.
#include "memory/model/soft_match.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace memory {
namespace {

constexpr double kNearAfter[] = {1, 0.8, 0.6, 0.5};   // for the 1st, 2nd, 3rd record after a word
constexpr double kNearBefore[] = {1, 0.7, 0.5, 0.4};  // and before it

constexpr double kScale = 255;
constexpr size_t kMostDistinct = std::numeric_limits<uint16_t>::max();

// Cosines with the asked pieces, in one register: -O2 makes no vectors of loops over bytes.
struct Lanes {
  using Bytes __attribute__((vector_size(AskedPieces::kMost))) = uint8_t;
  Bytes parts;  // of kScale; those below 0 as 0
};
struct Floats {
  using Values __attribute__((vector_size(AskedPieces::kMost * sizeof(float)))) = float;
  Values values;
};

// The nearest piece of each record to each asked one. A piece is compared once, however many
// records have it.
std::vector<Floats> NearestOf(std::span<const std::span<const Piece>> records,
                              const AskedPieces& asked, const PieceMeaning& meaning) {
  // Of each piece its place among the distinct ones; kept, since clearing all of it takes longer.
  thread_local std::vector<uint16_t> known(size_t{std::numeric_limits<Piece>::max()} + 1);
  std::vector<Piece> distinct;
  for (const std::span<const Piece> pieces : records) {
    for (const Piece piece : pieces) {
      if (known[piece] != 0 || distinct.size() == kMostDistinct) continue;
      distinct.push_back(piece);
      known[piece] = static_cast<uint16_t>(distinct.size());
    }
  }
  const std::vector<uint8_t> cosines = meaning.Compare(distinct, asked.pieces);
  std::vector<Lanes> compared(distinct.size() + 1);
  for (size_t piece = 0, at = 0; piece < distinct.size(); ++piece)
    for (size_t i = 0; i < asked.pieces.size(); ++i) compared[piece + 1].parts[i] = cosines[at++];
  std::vector<Floats> nearest;
  nearest.reserve(records.size());
  for (const std::span<const Piece> pieces : records) {
    Lanes best{};
    for (const Piece piece : pieces) {
      const Lanes& lanes = compared[known[piece]];
      best.parts = lanes.parts > best.parts ? lanes.parts : best.parts;
    }
    nearest.push_back({__builtin_convertvector(best.parts, Floats::Values)});
  }
  for (const Piece piece : distinct) known[piece] = 0;
  return nearest;
}

}  // namespace

AskedPieces WeighPieces(std::span<const Piece> pieces, std::span<const double> with, double rows) {
  std::vector<double> weights;
  for (size_t i = 0; i < pieces.size(); ++i) {
    weights.push_back(std::log(1 + std::max(0.0, rows - with[i] + 0.5) / (with[i] + 0.5)));
  }
  std::vector<size_t> order(pieces.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return weights[a] > weights[b]; });
  order.resize(std::min(order.size(), AskedPieces::kMost));
  while (!order.empty() && weights[order.back()] <= 0) order.pop_back();
  AskedPieces asked;
  for (const size_t i : order) {
    asked.pieces.push_back(pieces[i]);
    asked.weights.push_back(weights[i]);
  }
  return asked;
}

std::vector<double> SoftMatches(std::span<const Record> records,
                                std::span<const std::span<const Piece>> pieces,
                                const AskedPieces& asked, const PieceMeaning& meaning) {
  const std::vector<Floats> nearest = NearestOf(pieces, asked, meaning);
  std::vector<double> matches;
  matches.reserve(records.size());
  size_t from = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    const auto is_near = [&](const Record& other) {
      return other.session == records[i].session &&
             std::abs(other.position - records[i].position) <= kNeighbourReach;
    };
    while (!is_near(records[from])) ++from;
    Floats best{};
    for (size_t j = from; j < records.size() && is_near(records[j]); ++j) {
      const int64_t offset = records[i].position - records[j].position;
      const auto decay =
          static_cast<float>((offset >= 0 ? kNearAfter[offset] : kNearBefore[-offset]) *
                             GapFactor(records[j], records[i]));
      const Floats::Values lent = decay * nearest[j].values;
      best.values = lent > best.values ? lent : best.values;
    }
    double match = 0;
    for (size_t k = 0; k < asked.weights.size(); ++k)
      match += asked.weights[k] / kScale * double{best.values[k]};
    matches.push_back(match);
  }
  return matches;
}

}  // namespace memory
