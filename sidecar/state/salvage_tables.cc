// The tables by name and column. Other tables are lost with the file: answered events, the ledger
// (a memory may be injected again) and blocks, which are made again from the messages.
#include "sidecar/state/salvage_tables.h"

#include <optional>

namespace sidecar {
namespace {

using base::Code;
using base::Result;
using base::Status;

#define SALVAGED_FROM(table, from, columns, values)                            \
  table, "SELECT rowid, " from " FROM " table " NOT INDEXED ORDER BY rowid",   \
      "SELECT rowid, " from " FROM " table " NOT INDEXED ORDER BY rowid DESC", \
      "INSERT OR IGNORE INTO " table "(" columns ") VALUES(" values ")"
#define SALVAGED(table, columns, values) SALVAGED_FROM(table, columns, columns, values)

#define OUTBOX_COLUMNS                                                                    \
  "state, lane, kind, method, path, body, project, origin, destination, idempotency_key," \
  " bytes, created_ms, cause, reason"
#define FOURTEEN "?,?,?,?,?,?,?,?,?,?,?,?,?,?"
// First: schema version 1, without trace context. Plain: versions before 10, without checksums.
constexpr SalvagedTable kFirstOutbox = {
    SALVAGED("outbox", "sequence, " OUTBOX_COLUMNS, "?," FOURTEEN)};
constexpr SalvagedTable kFirstOutboxBehind = {SALVAGED("outbox", OUTBOX_COLUMNS, FOURTEEN)};
constexpr SalvagedTable kPlainOutbox = {
    SALVAGED("outbox", "sequence, " OUTBOX_COLUMNS ", cause_span", "?,?," FOURTEEN), false,
    &kFirstOutbox};
constexpr SalvagedTable kPlainOutboxBehind = {
    SALVAGED("outbox", OUTBOX_COLUMNS ", cause_span", "?," FOURTEEN), false, &kFirstOutboxBehind};
constexpr SalvagedTable kOutbox = {
    SALVAGED("outbox", "sequence, " OUTBOX_COLUMNS ", cause_span, checksum", "?,?,?," FOURTEEN),
    false, &kPlainOutbox};
constexpr SalvagedTable kOutboxBehind = {
    SALVAGED("outbox", OUTBOX_COLUMNS ", cause_span, checksum", "?,?," FOURTEEN), false,
    &kPlainOutboxBehind};

#define CONVERSATION_COLUMNS                                                           \
  "id, memory_session_id, state, created_ms, updated_ms, message_count, turn, fields," \
  " touched"
#define MESSAGE_COLUMNS \
  "number, conversation, sequence, role, content, tool_calls, tool_call_id, created_ms"
constexpr SalvagedTable kPlainConversations = {
    SALVAGED("conversations", CONVERSATION_COLUMNS, "?,?,?,?,?,?,?,?,?")};
constexpr SalvagedTable kPlainMessages = {SALVAGED("messages", MESSAGE_COLUMNS, "?,?,?,?,?,?,?,?"),
                                          true};
constexpr SalvagedTable kSummedMessages = {
    SALVAGED("messages", MESSAGE_COLUMNS ", checksum", "?,?,?,?,?,?,?,?,?"), true, &kPlainMessages};

constexpr SalvagedTable kBesideOutbox[] = {
    {SALVAGED("damages", "file, at_ms, outcome", "?,?,?")},
    {SALVAGED("kept_policy", "only_one, file, loaded_ms", "?,?,?")},
    {SALVAGED("retention_told", "project, destination, rules", "?,?,?")},
    {SALVAGED("memory_sessions",
              "id, conversation, predecessor, after_sequence, summarized_sequence", "?,?,?,?,?")},
};
constexpr SalvagedTable kOfTheirOwn[] = {
    {SALVAGED("conversations", CONVERSATION_COLUMNS ", fields_checksum", "?,?,?,?,?,?,?,?,?,?"),
     false, &kPlainConversations},
    {SALVAGED("working_memory",
              "owner, conversation, fields, bytes, version, ttl_ms, expires_ms, checksum",
              "?,?,?,?,?,?,?,?")},
    {SALVAGED("task_states", "conversation, state, updated_ms, checksum", "?,?,?,?")},
    {SALVAGED("checkpoints",
              "owner, conversation, generation, step, saved_ms, expires_ms, bytes, sha256,"
              " checksum, document",
              "?,?,?,?,?,?,?,?,?,?"),
     true},
    {SALVAGED("audit_log", "number, conversation, event, tool, details, created_ms",
              "?,?,?,?,?,?")},
    {SALVAGED("messages", MESSAGE_COLUMNS ", checksum, is_error", "?,?,?,?,?,?,?,?,?,?"), true,
     &kSummedMessages},
    {SALVAGED("injections",
              "number, conversation, turn, event, tool_name, tool_use_id, text, query, outcome,"
              " items, policy_digest, created_ms",
              "?,?,?,?,?,?,?,?,?,?,?,?"),
     true},
};
#undef OUTBOX_COLUMNS
#undef FOURTEEN
#undef CONVERSATION_COLUMNS
#undef MESSAGE_COLUMNS
#undef SALVAGED
#undef SALVAGED_FROM

struct Scan {
  TakenOver taken;
  std::optional<int64_t> last;
  bool whole = false;  // the scan reached the end
};

// Copies rows until the end, an unreadable row, or `stop_at`, the place where the scan from the
// other end stopped.
Result<Scan> CopyRows(sqlite::Database& from, sqlite::Database& to, const SalvagedTable& table,
                      bool down, std::optional<int64_t> stop_at, const SalvageTime& time) {
  Scan scan;
  auto rows = from.Prepare(down ? table.newest_first : table.oldest_first);
  if (!rows) return scan;
  while (true) {
    scan.taken.late = time.clock.MonotonicMs() >= time.end_ms;
    if (scan.taken.late) return scan;
    const auto more = rows->Step();
    if (!more) return scan;
    const int64_t place = *more ? rows->Int(0) : 0;
    scan.whole = !*more || (stop_at && (down ? place <= *stop_at : place >= *stop_at));
    if (scan.whole) return scan;
    scan.last = place;
    ASSIGN_OR_RETURN(auto copy, to.Prepare(table.insert));
    const Status copied = copy.BindRow(*rows, 1).Run();
    // A row that the schema refuses is damaged; a full volume is no fault of the row.
    if (!copied && copied.error().code != Code::kConflict) return copied.error();
    if (copied) scan.taken.rows += to.Changes();
  }
}

}  // namespace

const SalvagedTable& OutboxTable(bool behind) { return behind ? kOutboxBehind : kOutbox; }

std::span<const SalvagedTable> TablesBesideOutbox() { return kBesideOutbox; }

std::span<const SalvagedTable> TablesOfTheirOwn() { return kOfTheirOwn; }

Result<TakenOver> TakeOver(sqlite::Database& from, sqlite::Database& to, const SalvagedTable& table,
                           const SalvageTime& time) {
  if (table.older && !from.Prepare(table.oldest_first))
    return TakeOver(from, to, *table.older, time);
  const bool down = table.newest_matter;
  ASSIGN_OR_RETURN(Scan scan, CopyRows(from, to, table, down, std::nullopt, time));
  TakenOver taken = scan.taken;
  if (scan.whole || taken.late) return taken;
  ASSIGN_OR_RETURN(scan, CopyRows(from, to, table, !down, scan.last, time));
  return TakenOver{taken.rows + scan.taken.rows, scan.taken.late};
}

}  // namespace sidecar
