// Adds pairs of 16-bit products in 32 bits, with _mm256_madd_epi16 if the processor has AVX2.
#include "lib/embedding/dot_batch.h"

#include <cstddef>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace embedding {
namespace {

int32_t Dot(const int8_t* a, const int8_t* b, size_t size) {
  int32_t sum = 0;
  for (size_t i = 0; i < size; ++i) sum += a[i] * b[i];
  return sum;
}

#if defined(__x86_64__)
constexpr size_t kLanes = 16;

__attribute__((target("avx2"))) __m256i Widen(const int8_t* at) {
  return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)));
}

__attribute__((target("avx2"))) __m256i Load(const int16_t* at) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
}

// `wide` is `a`.
__attribute__((target("avx2"))) int32_t DotAvx2(const int8_t* a, const int16_t* wide,
                                                const int8_t* b, size_t size) {
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
  return _mm_cvtsi128_si32(sum) + Dot(a + i, b + i, size - i);
}
#endif

}  // namespace

void DotBatch(std::span<const int8_t> question, std::span<const int8_t> rows,
              std::span<int32_t> products) {
  const int8_t* row = rows.data();
  const size_t size = question.size();
#if defined(__x86_64__)
  static const bool kWide = __builtin_cpu_supports("avx2") != 0;
  if (kWide) {
    const std::vector<int16_t> wide(question.begin(), question.end());
    for (int32_t& product : products) {
      product = DotAvx2(question.data(), wide.data(), row, size);
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

}  // namespace embedding
