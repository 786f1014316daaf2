// The list is bounded: another pass finds the rest.
#include "memory/sqlite/store/remote_gaps.h"

namespace memory {
namespace {

constexpr size_t kMostListed = 32 << 10, kEnoughForPass = 4096;

}  // namespace

void RemoteGapList::Announce(const std::vector<int64_t>& slots) {
  const std::lock_guard lock(mutex_);
  announced_.insert(announced_.end(), slots.begin(), slots.end());
}

void RemoteGapList::Commit() {
  const std::lock_guard lock(mutex_);
  Add(announced_);
  std::vector<int64_t>().swap(announced_);
}

void RemoteGapList::Add(const std::vector<int64_t>& slots) {
  for (int64_t slot : slots) slots_[slot] = ++marks_;
  if (slots_.size() <= kMostListed) return;
  slots_.clear();
  after_ = 0;
  passed_ = false;
}

std::optional<int64_t> RemoteGapList::NextOfPass() const {
  const std::lock_guard lock(mutex_);
  if (passed_ || slots_.size() >= kEnoughForPass) return std::nullopt;
  return after_;
}

void RemoteGapList::AddPass(const RemoteGaps& found) {
  const std::lock_guard lock(mutex_);
  after_ = found.last;
  passed_ = found.end;
  Add(found.slots);
}

std::vector<ListedGap> RemoteGapList::First(size_t most) const {
  const std::lock_guard lock(mutex_);
  std::vector<ListedGap> first;
  for (auto at = slots_.begin(); at != slots_.end() && first.size() < most; ++at)
    first.push_back({at->first, at->second});
  return first;
}

void RemoteGapList::Remove(const std::vector<ListedGap>& gaps) {
  const std::lock_guard lock(mutex_);
  for (const ListedGap& gap : gaps) {
    const auto at = slots_.find(gap.slot);
    if (at != slots_.end() && at->second == gap.mark) slots_.erase(at);
  }
}

bool RemoteGapList::Complete(int64_t rows) const {
  const std::lock_guard lock(mutex_);
  return passed_ && static_cast<int64_t>(slots_.size() + announced_.size()) * 100 <= rows;
}

size_t RemoteGapList::size() const {
  const std::lock_guard lock(mutex_);
  return slots_.size() + announced_.size();
}

}  // namespace memory
