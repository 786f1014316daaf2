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

constexpr size_t kPadded = 8;  // values of a vector of DotEight: a multiple
constexpr float kHalf = 0.5F, kMostByte = 255;

void DotEightPlain(const int16_t* pairs, std::span<const int8_t> row, const float* scales,
                   float scale, uint8_t* bytes) {
  int32_t products[DotEight::kMost] = {};
  for (size_t i = 0; i < row.size(); ++i)
    for (size_t vector = 0; vector < DotEight::kMost; ++vector)
      products[vector] += pairs[(i / 2 * DotEight::kMost + vector) * 2 + i % 2] * row[i];
  for (size_t vector = 0; vector < DotEight::kMost; ++vector) {
    const float part = static_cast<float>(products[vector]) * (scales[vector] * scale) + kHalf;
    bytes[vector] = static_cast<uint8_t>(std::clamp(part, 0.0F, kMostByte));
  }
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

template <int kPair>
__attribute__((target("avx2"))) __m256i AddPair(__m256i sums, const int16_t* pairs, __m256i row) {
  return _mm256_add_epi32(sums,
                          _mm256_madd_epi16(Load(pairs), _mm256_shuffle_epi32(row, 0x55 * kPair)));
}

// A product in each lane, so that no sum goes across lanes, and the four pairs of a part of the row
// in both halves of a register: stored and loaded one by one they take longer than their products.
__attribute__((target("avx2"))) void DotEightAvx2(const int16_t* pairs, std::span<const int8_t> row,
                                                  const float* scales, float scale,
                                                  uint8_t* bytes) {
  __m256i even = _mm256_setzero_si256(), odd = _mm256_setzero_si256();
  const auto add = [&](const int8_t* at) __attribute__((target("avx2"), always_inline)) {
    const __m256i four = _mm256_broadcastsi128_si256(
        _mm_cvtepi8_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(at))));
    even = AddPair<0>(even, pairs, four);
    odd = AddPair<1>(odd, pairs + 2 * kPadded, four);
    even = AddPair<2>(even, pairs + 4 * kPadded, four);
    odd = AddPair<3>(odd, pairs + 6 * kPadded, four);
    pairs += kPadded * DotEight::kMost;
  };
  size_t i = 0;
  for (; i + kPadded <= row.size(); i += kPadded) add(row.data() + i);
  if (i < row.size()) {
    int8_t rest[kPadded] = {};
    std::copy(row.begin() + static_cast<std::ptrdiff_t>(i), row.end(), rest);
    add(rest);
  }
  const __m256 products = _mm256_cvtepi32_ps(_mm256_add_epi32(even, odd));
  const __m256 factors = _mm256_mul_ps(_mm256_loadu_ps(scales), _mm256_set1_ps(scale));
  __m256 parts = _mm256_add_ps(_mm256_mul_ps(products, factors), _mm256_set1_ps(kHalf));
  parts = _mm256_min_ps(_mm256_max_ps(parts, _mm256_setzero_ps()), _mm256_set1_ps(kMostByte));
  const __m256i whole = _mm256_cvttps_epi32(parts);
  const __m128i words =
      _mm_packus_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(bytes), _mm_packus_epi16(words, words));
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

DotEight::DotEight(std::span<const int8_t> vectors, size_t size, std::span<const float> scales)
    : pairs_((size + kPadded - 1) / kPadded * kPadded * kMost) {
  const size_t count = std::min(vectors.size() / size, kMost);
  for (size_t vector = 0; vector < count; ++vector)
    for (size_t i = 0; i < size; ++i)
      pairs_[(i / 2 * kMost + vector) * 2 + i % 2] = vectors[vector * size + i];
  std::copy_n(scales.begin(), std::min(count, scales.size()), scales_.begin());
}

void DotEight::Dot(std::span<const int8_t> row, float scale,
                   std::span<uint8_t, kMost> bytes) const {
#if defined(__x86_64__)
  if (HasAvx2()) return DotEightAvx2(pairs_.data(), row, scales_.data(), scale, bytes.data());
#endif
  DotEightPlain(pairs_.data(), row, scales_.data(), scale, bytes.data());
}

}  // namespace embedding
