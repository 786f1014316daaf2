// Finds pairs of vectors with a high cosine among many: locality-sensitive hashing by random
// hyperplanes (Charikar, "Similarity estimation techniques from rounding algorithms", 2002), then
// the exact cosine of each candidate. Pure; the hyperplanes are the same in every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace memory {

// Takes pairs of indexes (first < second) one at a time: of many similar vectors there are hundreds
// a vector, which nothing keeps.
struct PairTaker {
  std::function<bool(size_t first, size_t second)> wants;  // false: the pair is not measured
  std::function<void(size_t first, size_t second)> take;   // a near one, possibly several times
};

// `values`: `dimensions` of each vector, one after the other. Takes pairs with a cosine of at
// least `least`. Of vectors with the cosine .95 about 98 of 100 pairs are found, of equal ones all.
// Time is linear in the vectors: within a bucket each is measured with the next 32 alone. Memory:
// about 24 bytes a vector.
void NearPairs(std::span<const int8_t> values, size_t dimensions, double least,
               const PairTaker& taker);

}  // namespace memory
