// English words of time: where they are, and whether they are of the past. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "memory/extract/prose/words.h"

namespace memory {

// If the words from `begin` to `end` say when it was, or when it will be.
bool TellsPast(const std::vector<Word>& words, size_t begin, size_t end);
bool TellsFuture(const std::vector<Word>& words, size_t begin, size_t end);
// The words of a time at `at` ("last week", "two days ago", "on Monday"); 0: none.
size_t TimeAt(const std::vector<Word>& words, size_t at, size_t end);

}  // namespace memory
