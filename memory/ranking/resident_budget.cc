// LFU eviction with aging: counts are halved after a number of queries.
#include "memory/ranking/resident_budget.h"

#include <algorithm>

namespace memory {

namespace {

// Queries of all stores between two halvings. This also bounds the table, since ranges with a count
// of zero leave it.
constexpr uint32_t kAgeEvery = 4096;

// An index replaces another only with an eighth more queries, so that equally used ones do not
// evict each other in turns.
bool IsQueriedMore(uint32_t one, uint32_t than) { return one > than + than / 8; }

}  // namespace

uint64_t ResidentBudget::Join() {
  const std::lock_guard lock(mutex_);
  return ++stores_;
}

void ResidentBudget::Leave(uint64_t store) {
  Freed freed;
  const std::lock_guard lock(mutex_);
  for (auto at = seats_.begin(); at != seats_.end();) {
    const bool leaves = at->first.store == store;
    if (leaves) Empty(at->second, freed);
    at = leaves ? seats_.erase(at) : std::next(at);
  }
}

uint32_t ResidentBudget::NoteQuery(const Place& place) {
  const std::lock_guard lock(mutex_);
  if (++asks_ % kAgeEvery == 0) Age();
  return ++seats_[place].queries;
}

void ResidentBudget::Age() {
  for (auto& [place, seat] : seats_) seat.queries /= 2;
  std::erase_if(seats_, [](const auto& entry) {
    return entry.second.queries == 0 && !entry.second.resident;
  });
}

void ResidentBudget::Put(const Place& place, std::shared_ptr<Resident> resident) {
  Freed freed;
  const std::lock_guard lock(mutex_);
  Seat& seat = seats_[place];
  Empty(seat, freed);
  seat.resident = std::move(resident);
}

bool ResidentBudget::Weigh(const Place& place, const Resident& resident, size_t bytes) {
  Freed freed;
  const std::lock_guard lock(mutex_);
  auto at = seats_.find(place);
  if (at == seats_.end() || at->second.resident.get() != &resident) return false;
  Seat& seat = at->second;
  bytes_ += bytes - seat.bytes;
  seat.bytes = bytes;
  if (bytes_ <= limit_ || MakeRoom(place, seat, freed)) return true;
  Empty(seat, freed);
  return false;
}

void ResidentBudget::Drop(const Place& place, const Resident& resident) {
  Freed freed;
  const std::lock_guard lock(mutex_);
  auto at = seats_.find(place);
  if (at != seats_.end() && at->second.resident.get() == &resident) Empty(at->second, freed);
}

void ResidentBudget::Empty(Seat& seat, Freed& freed) {
  if (!seat.resident) return;
  seat.resident->displaced_ = true;
  freed.push_back(std::move(seat.resident));
  seat.resident = nullptr;
  bytes_ -= seat.bytes;
  seat.bytes = 0;
}

// Evicts the least used first, and none if the new one does not fit anyway.
bool ResidentBudget::MakeRoom(const Place& place, Seat& seat, Freed& freed) {
  std::vector<Seat*> less;
  size_t bytes = 0;
  for (auto& [other, their] : seats_) {
    if (other == place || their.bytes == 0 || !IsQueriedMore(seat.queries, their.queries)) continue;
    less.push_back(&their);
    bytes += their.bytes;
  }
  if (bytes_ - bytes > limit_) return false;
  std::sort(less.begin(), less.end(),
            [](const Seat* a, const Seat* b) { return a->queries < b->queries; });
  for (auto at = less.begin(); bytes_ > limit_; ++at) Empty(**at, freed);
  return true;
}

ResidentBudget::Share ResidentBudget::Of(uint64_t store) const {
  const std::lock_guard lock(mutex_);
  Share share;
  for (const auto& [place, seat] : seats_) {
    if (place.store != store || !seat.resident) continue;
    share.bytes += seat.bytes;
    ++share.ranges;
  }
  return share;
}

size_t ResidentBudget::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace memory
