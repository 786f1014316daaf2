// Signatures, buckets, cosines.
#include "memory/model/near_pairs.h"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "memory/model/cosine.h"

namespace memory {

namespace {

constexpr size_t kBits = 14, kTables = 16;  // (1 − (1 − .101)^14)^16: 2 of 100 are missed
constexpr size_t kNeighbours = 32;          // measured within a bucket
constexpr uint64_t kSeed = 0x6d656d6f7279;

// Hyperplanes with normals of ±1: as good as Gaussian ones for many dimensions, and integers.
std::vector<int8_t> Hyperplanes(size_t dimensions) {
  std::mt19937_64 random(kSeed);
  std::vector<int8_t> planes(kBits * kTables * dimensions);
  for (int8_t& value : planes) value = (random() >> 63) != 0 ? 1 : -1;
  return planes;
}

}  // namespace

void NearPairs(std::span<const int8_t> values, size_t dimensions, double least,
               const PairTaker& taker) {
  if (dimensions == 0) return;
  const size_t count = values.size() / dimensions;
  const std::vector<int8_t> planes = Hyperplanes(dimensions);
  std::vector<double> lengths(count);
  for (size_t i = 0; i < count; ++i) lengths[i] = LengthOf(&values[i * dimensions], dimensions);
  std::vector<std::pair<uint32_t, size_t>> buckets(count);
  for (size_t table = 0; table < kTables; ++table) {
    for (size_t i = 0; i < count; ++i) {
      uint32_t signature = 0;
      for (size_t bit = 0; bit < kBits; ++bit) {
        const int8_t* plane = &planes[(table * kBits + bit) * dimensions];
        signature = signature << 1 | (Dot(&values[i * dimensions], plane, dimensions) >= 0 ? 1 : 0);
      }
      buckets[i] = {signature, i};
    }
    std::sort(buckets.begin(), buckets.end());
    for (size_t at = 0; at < count; ++at) {
      const auto [signature, first] = buckets[at];
      if (lengths[first] == 0) continue;
      for (size_t next = at + 1; next < std::min(count, at + 1 + kNeighbours); ++next) {
        if (buckets[next].first != signature) break;
        const size_t second = buckets[next].second;
        if (!taker.wants(first, second)) continue;
        const auto dot = static_cast<double>(
            Dot(&values[first * dimensions], &values[second * dimensions], dimensions));
        if (lengths[second] > 0 && dot >= least * lengths[first] * lengths[second])
          taker.take(first, second);
      }
    }
  }
}

}  // namespace memory
