// Which rows the writer's transactions change, for the indexes in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "lib/sqlite/database.h"
#include "memory/ranking/resident_indexes.h"

namespace memory {

// The writer's thread. Outlives the connection that it watches.
class RowChanges {
 public:
  // `on_remote_gaps` gets the rows that are new or lost their vector of the remote model; may be
  // null.
  RowChanges(ResidentIndexes& resident,
             std::function<void(const std::vector<int64_t>& slots)> on_remote_gaps)
      : resident_(resident), on_remote_gaps_(std::move(on_remote_gaps)) {}
  void Watch(sqlite::Database& writer);  // once
  // The last step of each transaction: versions its changes, atomically.
  base::Status Publish(sqlite::Database& writer);
  // The rows that began to wait for the full-text index since the last call.
  std::vector<int64_t> TakeWaiting() { return std::exchange(waiting_, {}); }

 private:
  static void Note(void* self, int what, const char* base, const char* table, sqlite3_int64 slot);
  ResidentIndexes& resident_;
  const std::function<void(const std::vector<int64_t>& slots)> on_remote_gaps_;
  std::vector<int64_t> changed_;  // of rows, and of their vectors
  std::vector<int64_t> remote_gaps_, waiting_;
};

}  // namespace memory
