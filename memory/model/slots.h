// Slots: the numbers by which rows lie in the table and in the indexes. Above kRangeBits a slot has
// the number of its range (a project, or everything of scope global), below a number within it.
#pragma once

#include <cstdint>

namespace memory {

inline constexpr int kRangeBits = 32;
inline constexpr int64_t kGlobalRange = 0;

}  // namespace memory
