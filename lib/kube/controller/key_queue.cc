// Client-go's work queue rules: dirty and processing sets, merged delays, backoff per item.
#include "lib/kube/controller/key_queue.h"

#include <algorithm>

#include "lib/base/check.h"

namespace kube {

void KeyQueue::Undelay(const ObjectKey& key) {
  auto delayed = delayed_.find(key);
  if (delayed == delayed_.end()) return;
  due_.erase({delayed->second, key});
  delayed_.erase(delayed);
}

void KeyQueue::Add(const ObjectKey& key, Priority priority) {
  if (working_.contains(key)) {
    auto [dirty, fresh] = dirty_.emplace(key, priority);
    if (!fresh) dirty->second = std::min(dirty->second, priority);
    return;
  }
  Undelay(key);
  auto waiting = waiting_.find(key);
  if (waiting != waiting_.end()) {
    if (waiting->second.first <= priority) return;
    ready_.erase(waiting->second);
    waiting_.erase(waiting);
  }
  Place place{priority, next_++};
  ready_.emplace(place, key);
  waiting_.emplace(key, place);
}

void KeyQueue::AddAt(const ObjectKey& key, int64_t at_ms) {
  if (waiting_.contains(key)) return;  // ready already
  auto delayed = delayed_.find(key);
  if (delayed != delayed_.end()) {
    if (delayed->second <= at_ms) return;
    Undelay(key);
  }
  due_.emplace(at_ms, key);
  delayed_.emplace(key, at_ms);
}

std::optional<ObjectKey> KeyQueue::Pop(int64_t now_ms) {
  while (!due_.empty() && due_.begin()->first <= now_ms) {
    ObjectKey key = due_.begin()->second;
    Undelay(key);
    Add(key);
  }
  if (!HasNext()) return std::nullopt;
  auto [place, key] = *ready_.begin();
  ready_.erase(ready_.begin());
  waiting_.erase(key);
  working_.emplace(key, place.first);
  if (place.first == Priority::kResync) ++resyncs_;
  return key;
}

bool KeyQueue::HasNext() const {
  if (ready_.empty()) return false;
  const Priority priority = ready_.begin()->first.first;
  return priority == Priority::kEdit || resyncs_ < limits_.resyncs_at_once;
}

void KeyQueue::Done(const ObjectKey& key) {
  auto working = working_.find(key);
  CHECK(working != working_.end());
  if (working->second == Priority::kResync) --resyncs_;
  working_.erase(working);
  auto dirty = dirty_.find(key);
  if (dirty == dirty_.end()) return;
  Priority priority = dirty->second;
  dirty_.erase(dirty);
  Add(key, priority);
}

int64_t KeyQueue::Retry(const ObjectKey& key, int64_t now_ms) {
  int failures = failures_[key]++;
  int64_t delay_ms = limits_.backoff_cap_ms;
  // The limit keeps the shift from overflowing.
  if (failures < 40) delay_ms = std::min(delay_ms, limits_.backoff_base_ms << failures);
  AddAt(key, now_ms + delay_ms);
  return delay_ms;
}

void KeyQueue::Forget(const ObjectKey& key) { failures_.erase(key); }

std::optional<int64_t> KeyQueue::NextDueMs() const {
  if (due_.empty()) return std::nullopt;
  return due_.begin()->first;
}

int KeyQueue::Failures(const ObjectKey& key) const {
  auto at = failures_.find(key);
  return at == failures_.end() ? 0 : at->second;
}

}  // namespace kube
