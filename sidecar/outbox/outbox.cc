// The invariant: accepted = delivered + pending + dead + discarded, at every moment, a crash
// included. Each statement that moves a row changes the counters in the same transaction, and an
// acknowledged hook has its rows in the same commit as its messages. Delivery repeats a row until
// the server accepts it; the idempotency key makes a repetition harmless.
#include "sidecar/outbox/outbox.h"

#include <utility>

namespace sidecar {
namespace {

using base::Result;
using base::Status;

// The checksummed columns; a macro, so that each statement is one literal.
#define SUMMED_COLUMNS                                                                         \
  "lane, kind, method, path, body, project, origin, destination, idempotency_key, created_ms," \
  " cause_span"

Status Add(sqlite::Database& db, const char* counter, int64_t by) {
  ASSIGN_OR_RETURN(auto update,
                   db.Prepare("UPDATE outbox_totals SET value = value + ? WHERE name = ?"));
  return update.Bind(by).Bind(counter).Run();
}

// Reports pending and dead bytes separately: delivery frees the former, users the latter.
base::Error FullError(const OutboxTotals& totals, const OutboxLimits& limits) {
  std::string message = "the outbox is full: " + std::to_string(totals.pending) + " writes (" +
                        std::to_string(totals.pending_bytes) + " bytes) wait for the memory server";
  if (totals.dead_bytes > 0) {
    message += ", and " + std::to_string(totals.dead) + " dead letters (" +
               std::to_string(totals.dead_bytes) +
               " bytes): replay or discard them (GET /v1/dead-letters)";
  }
  return {base::Code::kFull, message + "; outbox-rows is " + std::to_string(limits.rows) +
                                 ", outbox-bytes " + std::to_string(limits.bytes) +
                                 "; nothing was accepted"};
}

Result<int64_t> BytesOf(sqlite::Database& db, int64_t sequence) {
  ASSIGN_OR_RETURN(auto query,
                   db.Prepare("SELECT bytes FROM outbox WHERE sequence = ? AND state = 'pending'"));
  query.Bind(sequence);
  ASSIGN_OR_RETURN(const bool found, query.Step());
  return found ? query.Int(0) : int64_t{-1};
}

Status Settle(sqlite::Database& db, const char* counter, int64_t bytes) {
  RETURN_IF_ERROR(Add(db, counter, 1));
  RETURN_IF_ERROR(Add(db, "pending", -1));
  return Add(db, "pending_bytes", -bytes);
}

Result<std::optional<OutboxRow>> LoadInState(sqlite::Database& db, int64_t sequence,
                                             const char* state) {
  ASSIGN_OR_RETURN(
      auto query,
      db.Prepare("SELECT " SUMMED_COLUMNS
                 ", row_is_sound('outbox', sequence, checksum, " SUMMED_COLUMNS ") FROM outbox"
                 " WHERE sequence = ? AND state = ?"));
  query.Bind(sequence).Bind(state);
  ASSIGN_OR_RETURN(const bool found, query.Step());
  if (!found) return std::optional<OutboxRow>();
  OutboxRow row;
  row.sequence = sequence;
  row.lane = query.Text(0);
  row.kind = query.Text(1);
  row.method = query.Text(2);
  row.path = query.Text(3);
  row.body = query.Text(4);
  row.project = query.Text(5);
  row.origin = query.Text(6);
  row.destination = query.Text(7);
  row.idempotency_key = query.Text(8);
  row.created_ms = query.Int(9);
  row.traceparent = query.Text(10);
  row.checksum_ok = query.Int(11) != 0;
  return std::optional<OutboxRow>(std::move(row));
}

}  // namespace

const char* const kOutboxSchema = R"sql(
CREATE TABLE outbox(
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  state TEXT NOT NULL DEFAULT 'pending' CHECK(state IN ('pending', 'dead')),
  lane TEXT NOT NULL,
  kind TEXT NOT NULL,
  method TEXT NOT NULL,
  path TEXT NOT NULL,
  body TEXT NOT NULL,
  project TEXT NOT NULL,
  origin TEXT NOT NULL,
  destination TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  created_ms INTEGER NOT NULL,
  cause TEXT NOT NULL DEFAULT '',
  reason TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX outbox_pending ON outbox(sequence, lane) WHERE state = 'pending';
CREATE TABLE outbox_totals(name TEXT PRIMARY KEY NOT NULL, value INTEGER NOT NULL) STRICT;
INSERT INTO outbox_totals VALUES('accepted', 0), ('delivered', 0), ('pending', 0), ('dead', 0),
  ('pending_bytes', 0);
)sql";

const char* const kOutboxCauseStep =
    "ALTER TABLE outbox ADD COLUMN cause_span TEXT NOT NULL DEFAULT ''";

const char* const kOutboxDeadStep = R"sql(
INSERT INTO outbox_totals SELECT 'dead_bytes', coalesce(sum(bytes), 0) FROM outbox
  WHERE state = 'dead';
CREATE INDEX outbox_dead ON outbox(sequence, bytes) WHERE state = 'dead';
)sql";

const char* const kOutboxDiscardStep = "INSERT INTO outbox_totals VALUES('discarded', 0)";

const char* const kOutboxChecksumStep =
    "ALTER TABLE outbox ADD COLUMN checksum INTEGER;"
    "UPDATE outbox SET checksum = row_checksum(" SUMMED_COLUMNS ") WHERE bytes > 0;";

Status Enqueue(sqlite::Database& db, const OutboxRow& row, const OutboxLimits& limits) {
  const auto bytes =
      static_cast<int64_t>(row.body.size() + row.path.size() + row.lane.size() + 200);
  const bool first_out = row.kind == "observation" || row.kind == kIngestKind;
  const int64_t reserve = first_out ? 0 : 10;  // a tenth
  ASSIGN_OR_RETURN(const OutboxTotals totals, ReadTotals(db));
  const bool rows_full = totals.pending >= limits.rows + (reserve ? limits.rows / reserve : 0);
  const bool bytes_full = totals.pending_bytes + totals.dead_bytes + bytes >
                          limits.bytes + (reserve ? limits.bytes / reserve : 0);
  if (rows_full || bytes_full) return FullError(totals, limits);
  {
    ASSIGN_OR_RETURN(auto insert,
                     db.Prepare("INSERT INTO outbox(" SUMMED_COLUMNS ", bytes, checksum)"
                                " VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,"
                                " row_checksum(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11))"));
    insert.Bind(row.lane).Bind(row.kind).Bind(row.method).Bind(row.path).Bind(row.body);
    insert.Bind(row.project).Bind(row.origin).Bind(row.destination).Bind(row.idempotency_key);
    RETURN_IF_ERROR(insert.Bind(row.created_ms).Bind(row.traceparent).Bind(bytes).Run());
  }
  RETURN_IF_ERROR(Add(db, "accepted", 1));
  RETURN_IF_ERROR(Add(db, "pending", 1));
  return Add(db, "pending_bytes", bytes);
}

Result<std::vector<OutboxHead>> PendingRows(sqlite::Database& db, int64_t after, int64_t limit) {
  ASSIGN_OR_RETURN(
      auto query, db.Prepare("SELECT sequence, lane, created_ms FROM outbox WHERE state = 'pending'"
                             " AND sequence > ? ORDER BY sequence LIMIT ?"));
  query.Bind(after).Bind(limit);
  return query.ReadAll([](const sqlite::Statement& row) {
    return OutboxHead{row.Int(0), row.Text(1), row.Int(2)};
  });
}

Result<bool> HasPending(sqlite::Database& db, const std::string& lane) {
  ASSIGN_OR_RETURN(auto query,
                   db.Prepare("SELECT 1 FROM outbox WHERE lane = ? AND state = 'pending' LIMIT 1"));
  query.Bind(lane);
  return query.Step();
}

Result<std::optional<OutboxRow>> LoadRow(sqlite::Database& db, int64_t sequence) {
  return LoadInState(db, sequence, "pending");
}

Status DiscardPending(sqlite::Database& db, int64_t sequence) {
  ASSIGN_OR_RETURN(const int64_t bytes, BytesOf(db, sequence));
  if (bytes < 0) return {};
  ASSIGN_OR_RETURN(auto remove, db.Prepare("DELETE FROM outbox WHERE sequence = ?"));
  RETURN_IF_ERROR(remove.Bind(sequence).Run());
  return Settle(db, "discarded", bytes);
}

Status ReplaceBody(sqlite::Database& db, int64_t sequence, const std::string& body) {
  ASSIGN_OR_RETURN(auto write, db.Prepare("UPDATE outbox SET body = ?2 WHERE sequence = ?1 AND "
                                          "checksum = row_checksum(" SUMMED_COLUMNS ")"));
  RETURN_IF_ERROR(write.Bind(sequence).Bind(body).Run());
  if (db.Changes() == 0) return {};
  ASSIGN_OR_RETURN(auto sum, db.Prepare("UPDATE outbox SET checksum = row_checksum(" SUMMED_COLUMNS
                                        ") WHERE sequence = ?"));
  return sum.Bind(sequence).Run();
}

Result<std::vector<OutboxBody>> ReadBodies(sqlite::Database& db, int64_t after) {
  constexpr size_t kTogether = 1 << 20;
  ASSIGN_OR_RETURN(auto read,
                   db.Prepare("SELECT sequence, state = 'dead', kind, CASE WHEN checksum "
                              "= row_checksum(" SUMMED_COLUMNS ") THEN body ELSE '' END "
                              "FROM outbox WHERE sequence > ? ORDER BY sequence"));
  std::vector<OutboxBody> bodies;
  size_t bytes = 0;
  RETURN_IF_ERROR(read.Bind(after).ForEachRow([&](const sqlite::Statement& row) {
    bodies.push_back({row.Int(0), row.Int(1) != 0, row.Text(2), row.Text(3)});
    bytes += bodies.back().body.size() + 100;
    return bytes < kTogether;
  }));
  return bodies;
}

Status MarkDelivered(sqlite::Database& db, int64_t sequence) {
  ASSIGN_OR_RETURN(const int64_t bytes, BytesOf(db, sequence));
  if (bytes < 0) return {};
  ASSIGN_OR_RETURN(auto remove, db.Prepare("DELETE FROM outbox WHERE sequence = ?"));
  RETURN_IF_ERROR(remove.Bind(sequence).Run());
  return Settle(db, "delivered", bytes);
}

Status MarkDead(sqlite::Database& db, int64_t sequence, const std::string& cause,
                const std::string& reason) {
  ASSIGN_OR_RETURN(const int64_t bytes, BytesOf(db, sequence));
  if (bytes < 0) return {};
  {
    ASSIGN_OR_RETURN(auto update, db.Prepare("UPDATE outbox SET state = 'dead', cause = ?,"
                                             " reason = ? WHERE sequence = ?"));
    RETURN_IF_ERROR(update.Bind(cause).Bind(reason).Bind(sequence).Run());
  }
  RETURN_IF_ERROR(Add(db, "dead_bytes", bytes));
  return Settle(db, "dead", bytes);
}

Result<OutboxTotals> ReadTotals(sqlite::Database& db) {
  ASSIGN_OR_RETURN(auto query, db.Prepare("SELECT name, value FROM outbox_totals"));
  OutboxTotals totals;
  const std::pair<const char*, int64_t*> fields[] = {
      {"accepted", &totals.accepted},    {"delivered", &totals.delivered},
      {"pending", &totals.pending},      {"dead", &totals.dead},
      {"discarded", &totals.discarded},  {"pending_bytes", &totals.pending_bytes},
      {"dead_bytes", &totals.dead_bytes}};
  RETURN_IF_ERROR(query.ForEachRow([&](const sqlite::Statement& row) {
    for (const auto& [name, field] : fields) {
      if (row.Text(0) == name) *field = row.Int(1);
    }
  }));
  return totals;
}

Result<std::optional<OutboxRow>> LoadDeadLetter(sqlite::Database& db, int64_t sequence) {
  return LoadInState(db, sequence, "dead");
}

}  // namespace sidecar
