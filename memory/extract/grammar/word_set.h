// Sets of words, written as one text. Pure.
#pragma once

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace memory {

using WordSet = std::unordered_set<std::string_view>;

// The words between the blanks of `words`, which outlives the set.
inline WordSet SetOf(std::string_view words) {
  WordSet set;
  for (size_t at = 0; at < words.size();) {
    const size_t end = std::min(words.find(' ', at), words.size());
    if (end > at) set.insert(words.substr(at, end - at));
    at = end + 1;
  }
  return set;
}

inline bool IsIn(const WordSet& set, std::string_view word) { return set.contains(word); }

}  // namespace memory
