// Erases the words of a hard delete from the full-text segments, the pages of the file, the WAL and
// the index in memory, in bounded steps after the writer's answers. Two counters in the file say
// what is due, so that the work survives a crash. Quotes in summaries are erase_quotes.h.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "lib/sqlite/writer.h"
#include "memory/ranking/resident_indexes.h"
#include "memory/volume/space_guard.h"

namespace memory {

// Only due() may be called off the writer's thread.
class Eraser {
 public:
  struct Options {
    std::string file;                    // for the program's log
    std::chrono::milliseconds after{0};  // delay after the first delete, to batch further ones
    std::function<void(int64_t deletes)> on_erased = nullptr;
    std::atomic<bool>* index_damaged = nullptr;  // true: erasing waits for the index to be rebuilt
    ResidentIndexes* resident = nullptr;
    SpaceGuard* space = nullptr;  // null: assumes enough space
  };
  explicit Eraser(Options options) : options_(std::move(options)) {}

  // Requests the erasure of a row; called in the transaction that removes it. `range`: of the row.
  base::Status Request(sql::Database& writer, int64_t range);
  // As sqlite::Writer::Options::chore.
  base::Result<sqlite::Writer::Chore> Step(sqlite::Database& writer,
                                           const sqlite::Writer::ChoreCall& call);
  int64_t due() const { return due_; }  // hard deletes whose words may be in the file

 private:
  using Time = std::chrono::steady_clock::time_point;
  enum class Phase { kIdle, kWords, kMerging, kPages, kLog };
  base::Result<sqlite::Writer::Chore> Begin(sqlite::Database& writer, bool closing);
  base::Status Words(sqlite::Database& writer);
  base::Status MergeOn(sqlite::Database& writer);
  base::Status Pages(sqlite::Database& writer);
  base::Status Finish(sqlite::Database& writer);
  bool MustWait(sqlite::Database& writer);

  const Options options_;
  std::atomic<int64_t> due_{0};
  bool perhaps_ = true;  // deletes may have come since the last look at the counters
  bool seen_ = false;    // work is due and its start is scheduled
  Time begins_{};
  Phase phase_ = Phase::kIdle;
  int64_t asked_ = 0;      // the counter of deletes that the running steps cover
  int64_t next_page_ = 0;  // in kPages
  int again_ = 0;          // merges that kept words of deleted rows
  std::set<int64_t> ranges_;
};

}  // namespace memory
