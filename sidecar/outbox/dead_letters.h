// Rows of the outbox that were given up: listed, counted, sent again or discarded. How a row gets
// there is outbox.h. Every call runs inside the caller's transaction.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/sqlite/database.h"
#include "sidecar/outbox/outbox.h"

namespace sidecar {

base::Result<std::map<std::string, int64_t>> DeadByCause(sqlite::Database& db);

struct DeadLetter {
  int64_t sequence = 0;
  std::string kind, path, project, destination, cause, reason;
  int64_t created_ms = 0,
          bytes = 0;  // 0 bytes: what was to be written is lost, it cannot be replayed
};
// The newest first, those before `before` (0: from the newest), at most `limit`.
base::Result<std::vector<DeadLetter>> DeadLetters(sqlite::Database& db, int64_t before,
                                                  int64_t limit);
// How it is shown; without what was to be written.
base::Json EncodeDeadLetter(const DeadLetter& letter);

// Which dead letters are to be sent again: those named, or those of a cause, or (both empty) all.
struct ReplayChoice {
  std::vector<int64_t> sequences;
  std::string cause;
};
struct Replayed {
  int64_t replayed = 0, left = 0;  // left: chosen, but the outbox has no room for them now
};
// Makes them pending again as they were accepted (place in their lane, key, project, destination),
// the oldest first, as many as the outbox has room for.
base::Result<Replayed> ReplayDeadLetters(sqlite::Database& db, const ReplayChoice& choice,
                                         const OutboxLimits& limits);

// Deletes a dead letter for good and counts it as discarded. kNotFound: there is none of that
// number.
base::Status DiscardDeadLetter(sqlite::Database& db, int64_t sequence);

}  // namespace sidecar
