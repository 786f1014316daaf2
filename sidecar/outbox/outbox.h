// The durable queue of writes to the memory server, in state.db: an accepted write is delivered,
// pending, dead or discarded at every moment. delivery.h sends them. Every call runs inside the
// caller's transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/sqlite/database.h"

namespace sidecar {

extern const char* const kOutboxSchema;
extern const char* const kOutboxCauseStep;  // later migrations
extern const char* const kOutboxDeadStep;
extern const char* const kOutboxDiscardStep;
extern const char* const kOutboxChecksumStep;

inline constexpr const char* kIngestKind = "ingest";  // a turn, for the extraction of facts

struct OutboxRow {
  int64_t sequence = 0;
  std::string lane;  // rows of one lane (a memory session) are delivered in their order
  std::string kind;  // session | observation | session_end | ingest
  std::string method = "POST", path, body;
  std::string project, origin, destination;  // values at capture time; destination: a base URL
  std::string idempotency_key;
  int64_t created_ms = 0;
  std::string traceparent;  // of the turn that made the row; empty: not traced
  bool checksum_ok = true;  // false: the row fails its checksum and must not be sent
};

struct OutboxLimits {
  int64_t rows = 10'000, bytes = 64 << 20;
  int64_t lane_wait_ms = 200;  // maximum wait of a direct write for earlier rows of its lane
};

// Adds a row. kFull: over a limit. The limits are a tenth higher for rows of kind session and
// session_end, so that captures cannot keep out their sessions. Dead letters count in bytes.
base::Status Enqueue(sqlite::Database& db, const OutboxRow& row, const OutboxLimits& limits);

struct OutboxHead {
  int64_t sequence = 0;
  std::string lane;
  int64_t created_ms = 0;
};
// Pending rows after `after`, in order, at most `limit`.
base::Result<std::vector<OutboxHead>> PendingRows(sqlite::Database& db, int64_t after,
                                                  int64_t limit);
base::Result<bool> HasPending(sqlite::Database& db, const std::string& lane);
base::Result<std::optional<OutboxRow>> LoadRow(sqlite::Database& db, int64_t sequence);
base::Result<std::optional<OutboxRow>> LoadDeadLetter(sqlite::Database& db, int64_t sequence);

// After a 2xx: deletes the row and counts it. No effect on a row that is not pending.
base::Status MarkDelivered(sqlite::Database& db, int64_t sequence);
// Deletes a pending row and counts it as discarded: its text was erased. No effect on a row that is
// not pending.
base::Status DiscardPending(sqlite::Database& db, int64_t sequence);
// Replaces the body of a sound row, pending or dead, by one that is not longer.
base::Status ReplaceBody(sqlite::Database& db, int64_t sequence, const std::string& body);
// Rows after `after`, pending and dead, in order, about a megabyte; the body of a row that fails
// its checksum is empty.
struct OutboxBody {
  int64_t sequence = 0;
  bool dead = false;
  std::string kind, body;
};
base::Result<std::vector<OutboxBody>> ReadBodies(sqlite::Database& db, int64_t after);
// Makes a pending row a dead letter: it stays whole, with its reason, until it is replayed or
// discarded. `cause` is one word for counting ("400", "destination").
base::Status MarkDead(sqlite::Database& db, int64_t sequence, const std::string& cause,
                      const std::string& reason);

// Counters over the life of the file: accepted = delivered + pending + dead + discarded.
struct OutboxTotals {
  int64_t accepted = 0, delivered = 0, pending = 0, dead = 0, discarded = 0;
  int64_t pending_bytes = 0, dead_bytes = 0;
};
base::Result<OutboxTotals> ReadTotals(sqlite::Database& db);

}  // namespace sidecar
