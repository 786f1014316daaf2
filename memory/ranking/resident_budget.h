// The memory budget of the resident indexes of all stores: how often each range is queried lately,
// the size of each index, and which index is evicted for another (ADR 10). Building and updating an
// index is resident_indexes.h.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace memory {

// Any thread. Locks: a store calls this with locks of its own held; this holds its one mutex for
// the table alone and calls nobody meanwhile, so no thread ever waits for a second store.
class ResidentBudget {
 public:
  // Limit 0: nothing is kept in memory.
  explicit ResidentBudget(size_t limit_bytes) : limit_(limit_bytes) {}

  // An index in the budget. Only the budget owns it, stores hold weak references: an evicted index
  // is freed at once, even if its store is idle. A query holds the index while it reads.
  class Resident {
   public:
    virtual ~Resident() = default;
    bool displaced() const { return displaced_; }

   private:
    friend class ResidentBudget;
    std::atomic<bool> displaced_{false};
  };
  struct Place {
    uint64_t store = 0;
    int64_t range = 0;
    bool operator==(const Place&) const = default;
  };

  uint64_t Join();             // a number for one store
  void Leave(uint64_t store);  // evicts its indexes
  // Counts a query. → recent queries, including this one.
  uint32_t NoteQuery(const Place& place);
  // Admits an index of size 0 in place of the previous one.
  void Put(const Place& place, std::shared_ptr<Resident> resident);
  // Sets the size. Evicts indexes that are queried less, if that frees enough. False: there is no
  // room, or the index was evicted before, and the index is out.
  bool Weigh(const Place& place, const Resident& resident, size_t bytes);
  void Drop(const Place& place, const Resident& resident);

  struct Share {
    size_t bytes = 0, ranges = 0;
  };
  Share Of(uint64_t store) const;
  size_t bytes() const;  // of all
  size_t limit() const { return limit_; }

 private:
  struct Seat {
    uint32_t queries = 0;
    size_t bytes = 0;
    std::shared_ptr<Resident> resident;  // null: only counted
  };
  struct HashOfPlace {
    size_t operator()(const Place& place) const {
      return std::hash<uint64_t>()(place.store * 0x9E3779B97F4A7C15ULL +
                                   static_cast<uint64_t>(place.range));
    }
  };
  using Seats = std::unordered_map<Place, Seat, HashOfPlace>;
  // Destroyed after the mutex is released.
  using Freed = std::vector<std::shared_ptr<Resident>>;
  void Age();                                                   // mutex_ is held
  void Empty(Seat& seat, Freed& freed);                         // mutex_ is held
  bool MakeRoom(const Place& place, Seat& seat, Freed& freed);  // mutex_ is held

  const size_t limit_;
  mutable std::mutex mutex_;
  Seats seats_;
  size_t bytes_ = 0;
  uint64_t stores_ = 0;
  uint32_t asks_ = 0;
};

}  // namespace memory
