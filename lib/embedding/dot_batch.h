// Products of one vector with many, by the widest instructions of this processor.
#pragma once

#include <cstdint>
#include <span>

namespace embedding {

// products[i] = question · row i. `rows` has products.size() rows of question.size() values, one
// behind the other; at most 65,536 values a row. Exact.
void DotBatch(std::span<const int8_t> question, std::span<const int8_t> rows,
              std::span<int32_t> products);

}  // namespace embedding
