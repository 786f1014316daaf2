// The checkpoints of conversations in SQLite, a row a generation. Calls run inside the caller's
// transaction. `now_ms` and expires_ms are of the clock by which things expire (base::AgingClock);
// saved_ms is the wall clock's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/sqlite/database.h"

namespace conversation {

extern const char* const kCheckpointStep;  // a migration

inline constexpr int64_t kCheckpointsKept = 3;  // of a conversation, unless told otherwise
// Of one owner (Host::Key of nothing); each counts kCheckpointRowBytes more than its document.
inline constexpr int64_t kMaxCheckpointsOfOwner = 256 << 20, kCheckpointRowBytes = 512;
// Expired rows stay so long, hidden: a number is not given twice while a client may remember it.
inline constexpr int64_t kKeepExpiredCheckpointMs = 600'000;

struct CheckpointRow {
  int64_t generation = 0;  // 1.. within the conversation
  int64_t step = 0, bytes = 0;
  int64_t saved_ms = 0, expires_ms = 0;
  std::string sha256;
};

struct CheckpointSave {
  std::string owner, conversation, document, sha256;
  int64_t step = 0, ttl_ms = 0;
  int64_t now_ms = 0, wall_ms = 0;
  int64_t kept = kCheckpointsKept;
};
// Adds a generation and removes those that are too many or over. kFull: the owner's limit.
base::Result<CheckpointRow> SaveCheckpoint(sqlite::Database& db, const CheckpointSave& save);

// Those that are not over, the newest first; their documents are not read.
base::Result<std::vector<CheckpointRow>> ListCheckpoints(sqlite::Database& db,
                                                         const std::string& conversation,
                                                         int64_t now_ms);
// The document of a generation. kInternal: it is not what was saved (Database::TakeUnsoundRows
// names the row), or the disk does not give it; kNotFound.
base::Result<std::string> ReadCheckpoint(sqlite::Database& db, const std::string& conversation,
                                         int64_t generation);
// Rows that are over for kKeepExpiredCheckpointMs, `limit` at most. → how many.
base::Result<int64_t> RemoveExpiredCheckpoints(sqlite::Database& db, int64_t now_ms, int64_t limit);

}  // namespace conversation
