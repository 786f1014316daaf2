// Finds English words of time, and tells past from future. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "memory/extract/prose/words.h"

namespace memory {

// Whether the words from `begin` to `end` have a past or a future time.
bool HasPastTime(const std::vector<Word>& words, size_t begin, size_t end);
bool HasFutureTime(const std::vector<Word>& words, size_t begin, size_t end);
// The number of words of a time at `at` ("last week", "two days ago", "on Monday"); 0: none.
size_t TimeAt(const std::vector<Word>& words, size_t at, size_t end);

}  // namespace memory
