// Room for a list that is kept for good.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace memory {

// For `more` elements. Doubling would hold up to twice what is needed.
template <class T>
void ReserveFor(std::vector<T>& list, size_t more) {
  if (list.size() + more > list.capacity())
    list.reserve(list.size() + std::max(more, list.size() / 8));
}

}  // namespace memory
