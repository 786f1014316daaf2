// The resident indexes of a store: postings (postings.h) and vectors (range_vectors.h) of the
// ranges that are queried, kept equal to the engine's, within the budget of all
// stores (resident_budget.h). The engine finds the rest. Reasons are in ADR 10.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "memory/model/piece_meaning.h"
#include "memory/model/postings.h"
#include "memory/model/range_pieces.h"
#include "memory/model/range_vectors.h"
#include "memory/ranking/rank_query.h"
#include "memory/ranking/resident_budget.h"
#include "memory/rows/candidates.h"

namespace memory {

class ResidentIndexes {
 public:
  struct Options {
    // A connection of its own, without a snapshot.
    std::function<base::Result<std::unique_ptr<Candidates>>()> open;
    std::shared_ptr<ResidentBudget> budget;  // of all stores
    bool build_at_once = false;  // the first query builds it, not the background: for tests
    int64_t rows_at_once = 0;    // of a range that the first query builds in its own snapshot
    int64_t model = 0;           // of the vectors beside the words
    size_t dimensions = 0;       // of that model; 0: keeps no vectors
    const PieceMeaning* pieces = nullptr;  // outlives the indexes; null: keeps no pieces
  };
  explicit ResidentIndexes(Options options)
      : options_(std::move(options)), store_(options_.budget->Join()) {}
  ~ResidentIndexes();  // Stop(), and leaves the budget

  // The last step of a transaction of the only writer, before its commit: it changed these rows,
  // which are in order of slots, and its version is higher than any before it.
  void Publish(int64_t version, const std::vector<int64_t>& slots);

  // Indexes locked against updates for its lifetime, which must be short.
  class Pinned {
   public:
    void Find(const std::vector<WordKeys>& words, Matches& found) const;
    void AppendRecords(const Matches& found, const std::vector<Match>& rows,
                       std::vector<Record>& records) const;
    void AppendNeighbours(const std::vector<Record>& records, int64_t reach,
                          std::vector<Record>& neighbours) const;
    void AppendRecordsOf(std::span<const int64_t> slots, std::vector<Record>& records) const;
    // Of these records, which are in order of places (soft_match.h).
    std::vector<double> SoftMatches(const Meaning& meaning, const std::vector<Record>& records,
                                    const std::vector<bool>& wanted) const;
    // In order of slots.
    void AppendSimilarities(const Meaning& meaning, std::vector<Similarity>& near) const;

   private:
    friend class ResidentIndexes;
    struct Held;
    std::vector<std::shared_ptr<Held>> held_;
  };
  // The indexes of these ranges, at least as new as the snapshot of `reader`. nullopt: a range has
  // no index or lags too far; an index that is requested again is built.
  std::optional<Pinned> Pin(Candidates& reader, std::vector<int64_t> ranges);
  int64_t model() const { return options_.model; }  // of the vectors

  // Drops a range's index, since postings of dead rows stay in it for a while. Queries bring the
  // index back.
  void Forget(int64_t range);
  // Drops all, since nobody knows any more which rows changed up to `version`.
  void ForgetUntil(int64_t version);

  struct Figures {
    size_t bytes = 0, ranges = 0;
    int64_t served = 0, missed = 0;  // queries
  };
  Figures Read() const;
  void Stop();  // joins; builds nothing from then on

 private:
  struct Change {
    int64_t version, slot;
  };
  // Locks are taken in this order: an entry's, ResidentIndexes::mutex_, the budget's. Where several
  // entries are locked they are of this store, in order of ranges.
  struct Entry : ResidentBudget::Resident {
    Entry(int64_t range, size_t dimensions)
        : index(range), vectors(range, dimensions), pieces(range) {}
    std::shared_mutex mutex;  // over index, vectors and pieces
    RangeIndex index;
    RangeVectors vectors;
    RangePieces pieces;
    // Under ResidentIndexes::mutex_:
    std::vector<Change> pending;  // in order of versions
    bool ready = false, crowded = false;
  };
  std::shared_ptr<Entry> EntryFor(int64_t range, int64_t version, bool& behind);
  struct NewRows;
  void Put(Entry& entry, NewRows&& rows) const;
  base::Status CatchUp(Entry& entry, Candidates& reader, int64_t version);
  ResidentBudget::Place PlaceOf(int64_t range) const { return {store_, range}; }
  std::shared_ptr<Entry> Known(int64_t range);  // mutex_ is held; null: none, or displaced
  void Want(int64_t range);                     // mutex_ is held
  void Drop(const Entry& entry);                // mutex_ is held
  bool Weigh(Entry& entry, size_t at_least);    // its mutex is held; false: it is out
  std::pair<std::shared_ptr<Entry>, bool> EntryToBuild(int64_t range);
  base::Status Build(int64_t range);
  base::Status BuildInSnapshot(int64_t range, Candidates& reader, int64_t version);
  base::Status Fill(Entry& entry, Candidates& reader, int64_t published);
  base::Result<bool> FillSome(Entry& entry, Candidates& reader, int64_t& next, size_t expected);
  void Run();

  const Options options_;
  const uint64_t store_;  // in the budget
  mutable std::mutex mutex_;
  std::unordered_map<int64_t, std::weak_ptr<Entry>> entries_;  // the budget owns them
  int64_t published_ = 0;
  std::deque<int64_t> wanted_;  // ranges to build
  std::condition_variable wake_;
  bool stopping_ = false;
  std::atomic<int64_t> served_{0}, missed_{0};
  std::jthread builder_;  // starts with the first range to build
};

struct ResidentIndexes::Pinned::Held {
  explicit Held(std::shared_ptr<Entry> of) : entry(std::move(of)), lock(entry->mutex) {}
  std::shared_ptr<Entry> entry;
  std::shared_lock<std::shared_mutex> lock;
};

}  // namespace memory
