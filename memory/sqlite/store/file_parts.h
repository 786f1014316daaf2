// What a store on a file has beside its rows: the full-text index, its erasure, and reads of the
// whole file.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "lib/base/guarded.h"
#include "lib/sqlite/writer.h"
#include "memory/ranking/resident_indexes.h"
#include "memory/sqlite/ranking/row_changes.h"
#include "memory/sqlite/removal/eraser.h"
#include "memory/sqlite/store/options.h"
#include "memory/sqlite/store/remote_gaps.h"
#include "memory/sqlite/tables/waiting.h"
#include "memory/volume/spool.h"

namespace memory {

// Reads without a time limit of their own. End() cancels them when the WAL grows too long.
class LongReads {
 public:
  std::stop_token token() const {
    return source_.With([](const std::stop_source& source) { return source.get_token(); });
  }
  void End() {
    source_.With([](std::stop_source& source) {
      source.request_stop();
      source = std::stop_source();
    });
  }

 private:
  base::Guarded<std::stop_source> source_;
};

// `resident` and `gaps` outlive it.
struct FileParts {
  FileParts(const std::string& of, const StoreOptions& options, ResidentIndexes& resident,
            RemoteGapList& gaps);
  // Runs IndexWaiting or IndexManyWaiting. A no-op from the report of a corrupt index until
  // RebuildIndex, so that writes continue.
  base::Status Index(sqlite::Database& writer,
                     const std::function<base::Status(sqlite::Database&)>& step);

  const std::string path;
  const sqlite::Database::Options reading;
  std::atomic<bool> index_damaged{false};
  WaitingTally waiting;  // of the writer's thread
  RowChanges changes;    // outlives the writer
  Eraser eraser;         // the writer's
  LongReads long_reads;
  std::unique_ptr<Spool> checked;  // a copy with sound tables; of the checking thread
  sqlite::Writer* writer = nullptr;   // that of the store
};

}  // namespace memory
