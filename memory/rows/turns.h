// The rows of turns that wait for the extraction of facts: the seam between what a turn goes
// through (memory/keeping) and an engine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lib/base/result.h"
#include "memory/rows/host.h"

namespace memory {

inline constexpr const char* kTurnPending = "pending";
inline constexpr const char* kTurnDone = "done";
inline constexpr const char* kTurnFailed = "failed";  // a dead letter, which keeps its texts

struct TurnRow {
  std::string id, owner, digest;
  std::string state = kTurnPending, reason = {};
  std::string facts = "[]";  // JSON text
  int64_t tries = 0, received_ms = 0;
  std::string context = {}, body = {};  // JSON texts
};

// Tokens of an owner's finished turns since the last note and the last run of consolidation.
struct TurnTokens {
  int64_t note = 0, reflect = 0;
};

// Bound to one transaction or snapshot: a read sees the writes before it, and whoever opened the
// transaction commits it, or rolls it back after an error. One thread. Errors: kUnavailable,
// kTimeout, kFull, kInternal.
class TurnRows {
 public:
  virtual ~TurnRows() = default;

  virtual base::Result<int64_t> CountPending() = 0;
  virtual base::Result<int64_t> CountPendingOf(const std::string& owner) = 0;
  virtual base::Result<int64_t> CountFailed() = 0;
  // Without its context and body.
  virtual base::Result<std::optional<TurnRow>> Find(const std::string& id) = 0;
  // The first owner after `after` in order of bytes that has pending turns.
  virtual base::Result<std::optional<std::string>> OwnerAfter(const std::string& after) = 0;
  // The owner's pending turn with the fewest tries, of these the earliest. With its texts.
  virtual base::Result<std::optional<TurnRow>> NextOf(const std::string& owner) = 0;

  virtual base::Status Add(const TurnRow& row) = 0;  // behind all others
  virtual base::Status SetState(const std::string& id, const char* state, int64_t tries,
                                const std::string& reason) = 0;
  virtual base::Status Finish(const std::string& id, const std::string& facts) = 0;  // drops `body`
  virtual base::Result<bool> HasDone(int64_t before_ms) = 0;  // received before
  // → how many.
  virtual base::Result<int64_t> RemoveDone(int64_t before_ms, int64_t limit) = 0;

  virtual base::Result<TurnTokens> TokensOf(const std::string& owner) = 0;
  virtual base::Status SetTokens(const std::string& owner, const TurnTokens& tokens) = 0;
};

using TurnHost = RowHost<TurnRows>;

}  // namespace memory
