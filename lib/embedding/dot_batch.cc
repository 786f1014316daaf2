// Adds pairs of 16-bit products in 32 bits, with _mm256_madd_epi16 if the processor has AVX2.
#include "lib/embedding/dot_batch.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace embedding {
namespace {

template <typename Value>
int32_t Dot(const Value* a, const int8_t* b, size_t size) {
  int32_t sum = 0;
  for (size_t i = 0; i < size; ++i) sum += a[i] * b[i];
  return sum;
}

void AddPairs(const int16_t* pairs, std::span<const int8_t> row, int32_t* products) {
  for (size_t i = 0; i < row.size(); ++i)
    for (size_t vector = 0; vector < DotEight::kMost; ++vector)
      products[vector] += pairs[(i / 2 * DotEight::kMost + vector) * 2 + i % 2] * row[i];
}

#if defined(__x86_64__)
constexpr size_t kLanes = 16;

__attribute__((target("avx2"))) __m256i Widen(const int8_t* at) {
  return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
}

__attribute__((target("avx2"))) __m256i Load(const int16_t* at) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
}

__attribute__((target("avx2"))) int32_t DotAvx2(const int16_t* wide, const int8_t* b, size_t size) {
  __m256i even = _mm256_setzero_si256(), odd = _mm256_setzero_si256();
  size_t i = 0;
  for (; i + 2 * kLanes <= size; i += 2 * kLanes) {
    even = _mm256_add_epi32(even, _mm256_madd_epi16(Load(wide + i), Widen(b + i)));
    odd = _mm256_add_epi32(odd, _mm256_madd_epi16(Load(wide + i + kLanes), Widen(b + i + kLanes)));
  }
  even = _mm256_add_epi32(even, odd);
  __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(even), _mm256_extracti128_si256(even, 1));
  sum = _mm_hadd_epi32(sum, sum);
  sum = _mm_hadd_epi32(sum, sum);
  return _mm_cvtsi128_si32(sum) + Dot(wide + i, b + i, size - i);
}

// A product in each lane, so that no sum goes across lanes.
__attribute__((target("avx2"))) void DotEightAvx2(const int16_t* pairs, std::span<const int8_t> row,
                                                  int32_t* products) {
  __m256i even = _mm256_setzero_si256(), odd = _mm256_setzero_si256();
  alignas(32) int32_t wide[kLanes / 2];  // a pair of the row each
  size_t i = 0;
  for (; i + kLanes <= row.size(); i += kLanes) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(wide), Widen(row.data() + i));
    for (size_t pair = 0; pair < kLanes / 2; pair += 2, pairs += 2 * kLanes) {
      even = _mm256_add_epi32(even, _mm256_madd_epi16(Load(pairs), _mm256_set1_epi32(wide[pair])));
      odd = _mm256_add_epi32(
          odd, _mm256_madd_epi16(Load(pairs + kLanes), _mm256_set1_epi32(wide[pair + 1])));
    }
  }
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(products), _mm256_add_epi32(even, odd));
  AddPairs(pairs, row.subspan(i), products);
}

bool HasAvx2() {
  static const bool kHas = __builtin_cpu_supports("avx2") != 0;
  return kHas;
}
#endif

}  // namespace

void DotBatch(std::span<const int8_t> question, std::span<const int8_t> rows,
              std::span<int32_t> products) {
  const int8_t* row = rows.data();
  const size_t size = question.size();
#if defined(__x86_64__)
  if (HasAvx2()) {
    const std::vector<int16_t> wide(question.begin(), question.end());
    for (int32_t& product : products) {
      product = DotAvx2(wide.data(), row, size);
      row += size;
    }
    return;
  }
#endif
  for (int32_t& product : products) {
    product = Dot(question.data(), row, size);
    row += size;
  }
}

DotEight::DotEight(std::span<const int8_t> vectors, size_t size)
    : pairs_((size + 1) / 2 * 2 * kMost) {
  for (size_t vector = 0; vector < std::min(vectors.size() / size, kMost); ++vector)
    for (size_t i = 0; i < size; ++i)
      pairs_[(i / 2 * kMost + vector) * 2 + i % 2] = vectors[vector * size + i];
}

void DotEight::Dot(std::span<const int8_t> row, std::span<int32_t, kMost> products) const {
#if defined(__x86_64__)
  if (HasAvx2()) return DotEightAvx2(pairs_.data(), row, products.data());
#endif
  std::fill(products.begin(), products.end(), 0);
  AddPairs(pairs_.data(), row, products.data());
}

}  // namespace embedding
