// The cosine of vectors of small integers. Pure.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace memory {

inline int64_t Dot(const int8_t* a, const int8_t* b, size_t dimensions) {
  int32_t sum = 0;
  for (size_t i = 0; i < dimensions; ++i) sum += a[i] * b[i];
  return sum;
}

inline double LengthOf(const int8_t* vector, size_t dimensions) {
  return std::sqrt(static_cast<double>(Dot(vector, vector, dimensions)));
}

}  // namespace memory
