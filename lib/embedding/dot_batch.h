// Dot products of one vector with many, with AVX2 if available.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace embedding {

// products[i] = question · row i. `rows`: products.size() consecutive rows of question.size()
// values; at most 65,536 values per row. Exact.
void DotBatch(std::span<const int8_t> question, std::span<const int8_t> rows,
              std::span<int32_t> products);

// The dot products of a row with up to eight vectors as bytes, for rows that lie apart: each is
// read once. Any thread.
class DotEight {
 public:
  static constexpr size_t kMost = 8;
  // `vectors`: at most kMost consecutive ones of `size` values, each 1 to 65,536; `scales`: of
  // each.
  DotEight(std::span<const int8_t> vectors, size_t size, std::span<const float> scales);
  // bytes[i] = vector i · row · scales[i] · scale, rounded, at least 0 and at most 255; 0 after the
  // last vector. The products are exact.
  void Dot(std::span<const int8_t> row, float scale, std::span<uint8_t, kMost> bytes) const;

 private:
  std::vector<int16_t> pairs_;  // two values of vector 0, the same two of vector 1, and so on
  std::array<float, kMost> scales_{};
};

}  // namespace embedding
