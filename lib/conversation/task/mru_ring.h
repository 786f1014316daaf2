// A ring of the most recently used texts: a text that is used again moves to the end; over the
// limit of items or bytes the least recently used texts are evicted. One thread at a time. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace conversation {

class MruRing {
 public:
  MruRing(size_t most_items, size_t most_bytes)
      : most_items_(most_items), most_bytes_(most_bytes) {}

  // Ignores an item that alone exceeds the limit of bytes.
  void Push(std::string item) {
    if (item.empty() || item.size() > most_bytes_) return;
    std::erase(items_, item);
    items_.push_back(std::move(item));
    size_t bytes = 0, keep = 0;
    for (auto at = items_.rbegin(); at != items_.rend() && keep < most_items_; ++at, ++keep) {
      bytes += at->size();
      if (bytes > most_bytes_) break;
    }
    items_.erase(items_.begin(), items_.end() - static_cast<std::ptrdiff_t>(keep));
  }
  void Clear() { items_.clear(); }
  // The least recently used first: pushing them in this order restores the ring.
  const std::vector<std::string>& items() const { return items_; }
  bool operator==(const MruRing& other) const { return items_ == other.items_; }

 private:
  size_t most_items_, most_bytes_;
  std::vector<std::string> items_;
};

}  // namespace conversation
