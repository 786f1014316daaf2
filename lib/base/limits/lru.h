// A bounded map with LRU eviction. One thread at a time.
#pragma once

#include <list>
#include <string>
#include <unordered_map>
#include <utility>

namespace base {

template <class Value>
class LruMap {
 public:
  explicit LruMap(size_t most) : most_(most) {}

  // Finds a value and marks its key as used; nullptr: none. Valid until the next Put or Erase.
  Value* Find(const std::string& key) {
    auto found = places_.find(key);
    if (found == places_.end()) return nullptr;
    order_.splice(order_.begin(), order_, found->second);
    return &found->second->second;
  }
  void Put(const std::string& key, Value value) {
    Erase(key);
    if (order_.size() >= most_ && !order_.empty()) Erase(std::string(order_.back().first));
    order_.emplace_front(key, std::move(value));
    places_[key] = order_.begin();
  }
  void Erase(const std::string& key) {
    auto found = places_.find(key);
    if (found == places_.end()) return;
    order_.erase(found->second);
    places_.erase(found);
  }
  size_t size() const { return order_.size(); }

 private:
  using Order = std::list<std::pair<std::string, Value>>;  // most recently used first
  const size_t most_;
  Order order_;
  std::unordered_map<std::string, typename Order::iterator> places_;
};

}  // namespace base
