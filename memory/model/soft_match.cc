// Max pooling of the cosines of single pieces, as in "MaxSim" of late interaction (Khattab and
// Zaharia, "ColBERT", 2020), over the rows of a window.
#include "memory/model/soft_match.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace memory {
namespace {

constexpr double kNearAfter[] = {1, 0.8, 0.6, 0.5};   // for the 1st, 2nd, 3rd record after a word
constexpr double kNearBefore[] = {1, 0.7, 0.5, 0.4};  // and before it

constexpr size_t kMostDistinct = std::numeric_limits<uint16_t>::max();

struct Floats {
  using Values __attribute__((vector_size(PieceCosines::kMost * sizeof(float)))) = float;
  Values values;
};

// The records in reach of one, itself included; none of the default.
struct Window {
  size_t first = 0, end = 0;
};

Window WindowOf(std::span<const Record> records, size_t i) {
  const auto is_near = [&](size_t other) {
    return records[other].session == records[i].session &&
           std::abs(records[other].position - records[i].position) <= kNeighbourReach;
  };
  Window window{i, i + 1};
  while (window.first > 0 && is_near(window.first - 1)) --window.first;
  while (window.end < records.size() && is_near(window.end)) ++window.end;
  return window;
}

// The nearest piece of each record to each asked one. A piece is compared once, however many
// records have it.
std::vector<Floats> NearestOf(std::span<const std::span<const Piece>> records,
                              const AskedPieces& asked, const PieceMeaning& meaning) {
  // A bit for each piece fits into the nearest cache, and yields them in the order of the table.
  constexpr size_t kBits = std::numeric_limits<uint64_t>::digits;
  std::array<uint64_t, (size_t{std::numeric_limits<Piece>::max()} + 1) / kBits> has{};
  for (const std::span<const Piece> pieces : records)
    for (const Piece piece : pieces) has[piece / kBits] |= uint64_t{1} << piece % kBits;
  // Of each piece its place among the distinct ones, from 1; kept, since clearing all of it takes
  // longer.
  thread_local std::vector<uint16_t> places(size_t{std::numeric_limits<Piece>::max()} + 1);
  uint16_t* const place = places.data();
  std::vector<Piece> distinct;
  for (size_t word = 0; word < has.size(); ++word) {
    for (uint64_t left = has[word]; left != 0 && distinct.size() < kMostDistinct;
         left &= left - 1) {
      distinct.push_back(
          static_cast<Piece>(word * kBits + static_cast<size_t>(std::countr_zero(left))));
      place[distinct.back()] = static_cast<uint16_t>(distinct.size());
    }
  }
  std::vector<PieceCosines> cosines = meaning.Compare(distinct, asked.pieces);
  cosines.insert(cosines.begin(), PieceCosines{});  // of pieces that are not among them
  std::vector<Floats> nearest;
  nearest.reserve(records.size());
  for (const std::span<const Piece> pieces : records) {
    PieceCosines best{};
    for (const Piece piece : pieces) {
      const PieceCosines& one = cosines.data()[place[piece]];
      best.parts = one.parts > best.parts ? one.parts : best.parts;
    }
    nearest.push_back({__builtin_convertvector(best.parts, Floats::Values)});
  }
  for (const Piece piece : distinct) place[piece] = 0;
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

std::vector<double> SoftMatches(
    std::span<const Record> records, const std::vector<bool>& wanted,
    const std::function<std::span<const Piece>(const Record&)>& pieces_of, const AskedPieces& asked,
    const PieceMeaning& meaning) {
  std::vector<Window> windows(records.size());
  std::vector<std::span<const Piece>> pieces(records.size());
  size_t read = 0;  // the pieces of the records before it are known, or not needed
  for (size_t i = 0; i < records.size(); ++i) {
    if (!wanted[i]) continue;
    windows[i] = WindowOf(records, i);
    for (read = std::max(read, windows[i].first); read < windows[i].end; ++read)
      pieces[read] = pieces_of(records[read]);
  }
  const std::vector<Floats> nearest = NearestOf(pieces, asked, meaning);
  std::array<double, AskedPieces::kMost> weights{};
  for (size_t k = 0; k < asked.weights.size(); ++k)
    weights[k] = asked.weights[k] / PieceCosines::kParts;
  std::vector<double> matches(records.size());
  for (size_t i = 0; i < records.size(); ++i) {
    if (!wanted[i]) continue;
    Floats best{};
    for (size_t j = windows[i].first; j < windows[i].end; ++j) {
      const int64_t offset = records[i].position - records[j].position;
      const auto decay =
          static_cast<float>((offset >= 0 ? kNearAfter[offset] : kNearBefore[-offset]) *
                             GapFactor(records[j], records[i]));
      const Floats::Values lent = decay * nearest[j].values;
      best.values = lent > best.values ? lent : best.values;
    }
    for (size_t k = 0; k < asked.weights.size(); ++k)
      matches[i] += weights[k] * double{best.values[k]};
  }
  return matches;
}

}  // namespace memory
