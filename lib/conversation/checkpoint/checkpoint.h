// A checkpoint as a value: the client's body, and the stored document. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "lib/base/json/json.h"
#include "lib/base/result.h"

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

}  // namespace conversation
