// The checkpoints of conversations in SQLite, one row per generation. Calls run inside the caller's
// transaction. `now_ms` and expires_ms are of base::AgingClock; saved_ms is of the wall clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/sqlite/database.h"

namespace conversation {

extern const char* const kCheckpointStep;  // a migration

inline constexpr int64_t kCheckpointsKept = 3;  // per conversation, by default
// The limit of one owner (Host::Key("")); a checkpoint counts kCheckpointRowBytes beside its
// document.
inline constexpr int64_t kMaxCheckpointsOfOwner = 256 << 20, kCheckpointRowBytes = 512;
// Expired rows stay hidden for this time: no generation is reused while a client may remember it.
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
// Adds a generation; removes expired ones and those beyond `kept`. kFull: the owner's limit; the
// caller must roll back.
base::Result<CheckpointRow> SaveCheckpoint(sqlite::Database& db, const CheckpointSave& save);

// The unexpired generations, the newest first, without reading documents.
base::Result<std::vector<CheckpointRow>> ListCheckpoints(sqlite::Database& db,
                                                         const std::string& conversation,
                                                         int64_t now_ms);
// The document of a generation. kInternal: it changed on disk (Database::TakeUnsoundRows names the
// row) or cannot be read; kNotFound.
base::Result<std::string> ReadCheckpoint(sqlite::Database& db, const std::string& conversation,
                                         int64_t generation);
// Removes at most `limit` rows that expired kKeepExpiredCheckpointMs ago. → their number.
base::Result<int64_t> RemoveExpiredCheckpoints(sqlite::Database& db, int64_t now_ms, int64_t limit);

}  // namespace conversation
