// Dot products of one vector with many, with AVX2 if available.
#pragma once

#include <cstdint>
#include <span>

namespace embedding {

// products[i] = question · row i. `rows`: products.size() consecutive rows of question.size()
// values; at most 65,536 values per row. Exact.
void DotBatch(std::span<const int8_t> question, std::span<const int8_t> rows,
              std::span<int32_t> products);

}  // namespace embedding
