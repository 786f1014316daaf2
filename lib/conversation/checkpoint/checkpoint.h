// Checkpoints: the client's body, the stored document, and the generations of a conversation with
// their expiry and limits. `now_ms` and expires_ms are of base::AgingClock; saved_ms is of the wall
// clock. Pure, on Rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/conversation/rows.h"

namespace conversation {

inline constexpr int64_t kDefaultCheckpointTtlMs = 24 * 3'600'000LL;
inline constexpr int64_t kMaxCheckpointTtlMs = 365 * 24 * 3'600'000LL;
inline constexpr int64_t kMaxCheckpointStep = 1'000'000'000'000;
inline constexpr size_t kMaxCheckpointBytes = 7 << 20;  // of its document

struct Checkpoint {
  int64_t step = 0;
  // A list of objects, in the client's own form; null: the first `messages_to` messages of the
  // conversation, which never change.
  base::Json messages;
  int64_t messages_to = 0;
  base::Json memory = base::Json::object(), tool_state = base::Json::object();
};

struct CheckpointBody {
  Checkpoint checkpoint;
  int64_t ttl_ms = kDefaultCheckpointTtlMs;
};
// {"step", "messages"?, "memory"?, "tool_state"?, "ttl"?}; null is absent. kInvalid names the
// field, its limit and its value.
base::Result<CheckpointBody> DecodeCheckpoint(const base::Json& body);

// The stored UTF-8 text, whose SHA-256 clients get: {"step", "messages" or "messages_to", "memory",
// "tool_state"} with sorted keys and without blanks. kTooLarge over kMaxCheckpointBytes.
base::Result<std::string> WriteDocument(const Checkpoint& checkpoint);
// kInvalid: not a text of WriteDocument.
base::Result<Checkpoint> ReadDocument(const std::string& document);

// Calls with rows run inside the caller's transaction.
inline constexpr int64_t kCheckpointsKept = 3;  // per conversation, by default
// The limit of one owner (Host::Key("")); a checkpoint counts kCheckpointRowBytes beside its
// document.
inline constexpr int64_t kMaxCheckpointsOfOwner = 256 << 20, kCheckpointRowBytes = 512;
// Expired rows stay hidden for this time: no generation is reused while a client may remember it.
inline constexpr int64_t kKeepExpiredCheckpointMs = 600'000;

struct CheckpointSave {
  std::string owner, conversation, document, sha256;
  int64_t step = 0, ttl_ms = 0;
  int64_t now_ms = 0, wall_ms = 0;
  int64_t kept = kCheckpointsKept;
};
// Adds a generation; removes expired ones and those beyond `kept`. kFull: the owner's limit; the
// caller must roll back.
base::Result<CheckpointRow> SaveCheckpoint(Rows& rows, const CheckpointSave& save);

// The unexpired generations, the newest first, without reading documents.
base::Result<std::vector<CheckpointRow>> ListCheckpoints(Rows& rows,
                                                         const std::string& conversation,
                                                         int64_t now_ms);
// The document of a generation. kInternal: it changed on disk or cannot be read; kNotFound.
base::Result<std::string> ReadCheckpoint(Rows& rows, const std::string& conversation,
                                         int64_t generation);
// Removes at most `limit` rows that expired kKeepExpiredCheckpointMs ago. → their number.
base::Result<int64_t> RemoveExpiredCheckpoints(Rows& rows, int64_t now_ms, int64_t limit);

}  // namespace conversation
