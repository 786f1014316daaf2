// Lists, counts, replays and discards dead letters: rows of the outbox that delivery has given up.
// Every call runs inside the caller's transaction.
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
          bytes = 0;  // 0: the write is lost and cannot be replayed
};
// The newest first, those before `before` (0: from the newest), at most `limit`.
base::Result<std::vector<DeadLetter>> DeadLetters(sqlite::Database& db, int64_t before,
                                                  int64_t limit);
// A dead letter as JSON, without the body of its write.
base::Json EncodeDeadLetter(const DeadLetter& letter);

// The dead letters to replay: by number, by cause, or (both empty) all.
struct ReplayChoice {
  std::vector<int64_t> sequences;
  std::string cause;
};
struct Replayed {
  int64_t replayed = 0, left = 0;  // left: chosen, but beyond the row limit of the outbox
};
// Makes dead letters pending again, the oldest first, up to the limits of the outbox. Each keeps
// its place in the lane, its key, project and destination.
base::Result<Replayed> ReplayDeadLetters(sqlite::Database& db, const ReplayChoice& choice,
                                         const OutboxLimits& limits);

// Deletes a dead letter and counts it as discarded. kNotFound: no dead letter has this number.
base::Status DiscardDeadLetter(sqlite::Database& db, int64_t sequence);

}  // namespace sidecar
