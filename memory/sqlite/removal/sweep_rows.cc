// The SQL of a round of retention. A RowId is a slot of the table of observations.
#include "memory/sqlite/removal/sweep_rows.h"

#include <algorithm>

#include "lib/base/json/json.h"
#include "memory/model/slots.h"
#include "memory/sqlite/removal/hidden_parts.h"
#include "memory/sqlite/tables/retired.h"
#include "memory/sqlite/tables/rows.h"

namespace memory {

using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;

namespace {

#define MEMORY_USED                                                                              \
  "max(o.updated_ms, o.seen_ms, coalesce((SELECT u.used_ms FROM uses u WHERE u.slot = o.slot), " \
  "0)) "

// The rows of one rule that a cap looks at.
#define MEMORY_OF_RULE                                                         \
  "FROM observations o WHERE o.range = ?1 AND o.project = ?2 AND " MEMORY_LIVE \
  "AND (o.type = ?3 OR ?3 = '*' AND o.type NOT IN (SELECT value FROM json_each(?4)))"
constexpr const char* kCounted = "SELECT count(*) " MEMORY_OF_RULE;
// Least recently used first. Rows that are pinned, or that were read, found or written again since
// ?5, stay.
constexpr const char* kOldest =
    "SELECT o.slot, o.id, " MEMORY_USED "AS used " MEMORY_OF_RULE "AND NOT (" MEMORY_PINNED
    ") AND max(coalesce((SELECT u.used_ms FROM uses u WHERE u.slot = o.slot), 0), "
    "CASE WHEN o.duplicate_count > 0 THEN o.seen_ms ELSE 0 END) < ?5 "
    "ORDER BY used, o.slot LIMIT ?6";

int64_t RangeOf(const RowsOfRule& of) {
  return of.rule.scope == "global" ? kGlobalRange : of.project;
}

Result<Statement> PrepareOfRule(Database& database, const RowsOfRule& of, const char* sql) {
  ASSIGN_OR_RETURN(Statement read, database.Prepare(sql));
  read.Bind(RangeOf(of)).Bind(of.project).Bind(of.rule.type);
  read.Bind(base::DumpJson(base::Json(of.other_types)));
  return read;
}

Status RunOn(Database& database, const char* sql, RowId row) {
  ASSIGN_OR_RETURN(Statement run, database.Prepare(sql));
  return run.Bind(row).Run();
}

}  // namespace

Result<SweepPage> SqliteSweep::Scan(SweepPlace& place, int64_t old_ms, int64_t most) {
  ASSIGN_OR_RETURN(
      Statement read,
      database_.Prepare("SELECT o.slot, o.id, o.range, o.type, o.updated_ms, NOT (" MEMORY_LIVE
                        "), o.revision_count > 1 AND EXISTS (SELECT 1 FROM revisions r WHERE r.id "
                        "= o.id AND r.replaced_ms <= kept_since(o.project, o.scope, o.type) - ?6) "
                        "FROM observations o WHERE o.deleted_ms IS NULL AND "
                        "(o.range, o.type, o.updated_ms, o.id) > (?1, ?2, ?3, ?4) "
                        "ORDER BY o.range, o.type, o.updated_ms, o.id LIMIT ?5"));
  read.Bind(place.range).Bind(std::string_view(place.type)).Bind(place.updated_ms).Bind(place.id);
  read.Bind(most).Bind(old_ms);
  SweepPage found;
  int64_t seen = 0;
  RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) {
    ++seen;
    place = {row.Int(2), row.Text(3), row.Int(4), row.Int(1)};
    if (row.Int(5)) found.expired.push_back(row.Int(0));
    if (row.Int(6)) found.old_texts.push_back(row.Int(0));
  }));
  found.end = seen < most;
  if (found.end) place = SweepPlace();
  return found;
}

Result<std::optional<SweepRow>> SqliteSweep::Find(RowId row) {
  ASSIGN_OR_RETURN(Statement look,
                   database_.Prepare("SELECT o.id, " MEMORY_USED ", NOT (" MEMORY_LIVE ") "
                                     "FROM observations o WHERE o.slot = ?1 AND o.deleted_ms IS "
                                     "NULL"));
  return look.Bind(row).ReadFirst([&](const Statement& here) {
    return SweepRow{row, here.Int(0), here.Int(1), here.Int(2) != 0};
  });
}

Status SqliteSweep::Retire(RowId row, const char* reason, int64_t now_ms) {
  return memory::Retire(database_, row, reason, now_ms);
}

Result<int64_t> SqliteSweep::RemoveOldTexts(RowId row, int64_t old_ms) {
  ASSIGN_OR_RETURN(
      Statement remove,
      database_.Prepare(
          "DELETE FROM revisions WHERE id = (SELECT id FROM observations WHERE slot = ?1) AND "
          "replaced_ms <= (SELECT kept_since(o.project, o.scope, o.type) - ?2 FROM observations o "
          "WHERE o.slot = ?1)"));
  RETURN_IF_ERROR(remove.Bind(row).Bind(old_ms).Run());
  return database_.Changes();
}

Result<std::vector<int64_t>> SqliteSweep::Projects() {
  ASSIGN_OR_RETURN(Statement read,
                   database_.Prepare("SELECT number FROM projects ORDER BY number"));
  return read.ReadAll(IntAt);
}

Result<int64_t> SqliteSweep::CountAbove(const RowsOfRule& of) {
  ASSIGN_OR_RETURN(Statement live,
                   database_.Prepare("SELECT live_rows FROM ranges WHERE number = ?1"));
  ASSIGN_OR_RETURN(const auto in_range, live.Bind(RangeOf(of)).ReadFirst(IntAt));
  if (in_range.value_or(0) <= of.rule.max_rows) return 0;  // without a scan of the rows
  ASSIGN_OR_RETURN(Statement count, PrepareOfRule(database_, of, kCounted));
  ASSIGN_OR_RETURN(const auto rows, count.ReadFirst(IntAt));
  return std::max<int64_t>(rows.value_or(0) - of.rule.max_rows, 0);
}

Result<std::vector<SweepRow>> SqliteSweep::FindUnused(const RowsOfRule& of, int64_t since_ms,
                                                      int64_t most) {
  ASSIGN_OR_RETURN(Statement oldest, PrepareOfRule(database_, of, kOldest));
  return oldest.Bind(since_ms).Bind(most).ReadAll([](const Statement& row) {
    return SweepRow{row.Int(0), row.Int(1), row.Int(2)};
  });
}

bool SqliteSweep::WasJustUsed(const SweepRow& row, int64_t since_ms) {
  return liveness_.UsedSince(row.id, since_ms);
}

Result<bool> SqliteSweep::IsRetired(RowId row) { return memory::IsRetired(database_, row); }

Result<std::vector<RowId>> SqliteSweep::FindRestorable(RowId after, int64_t most) {
  ASSIGN_OR_RETURN(
      Statement read,
      database_.Prepare("SELECT o.slot FROM retired r JOIN observations o ON o.slot = r.slot "
                        "WHERE r.slot > ?1 AND r.reason = 'ttl' AND max(o.updated_ms, o.seen_ms) > "
                        "kept_since(o.project, o.scope, o.type) ORDER BY r.slot LIMIT ?2"));
  return read.Bind(after).Bind(most).ReadAll(IntAt);
}

Result<bool> SqliteSweep::Show(RowId row) { return Revive(database_, row); }

Result<std::vector<RowId>> SqliteSweep::FindRemovable(int64_t hidden_until_ms,
                                                      int64_t used_since_ms, int64_t most) {
  ASSIGN_OR_RETURN(
      Statement read,
      database_.Prepare(
          "SELECT o.slot FROM observations o WHERE o.deleted_ms <= ?1 AND (" MEMORY_USED
          "< ?2 OR NOT EXISTS (SELECT 1 FROM retired r WHERE r.slot = "
          "o.slot)) ORDER BY o.deleted_ms LIMIT ?3"));
  return read.Bind(hidden_until_ms).Bind(used_since_ms).Bind(most).ReadAll(IntAt);
}

Result<bool> SqliteSweep::Unlink(RowId row) { return LeadEdgesOn(database_, row); }

Status SqliteSweep::Remove(RowId row) {
  RETURN_IF_ERROR(RunOn(database_,
                        "INSERT INTO tombstones SELECT id, deleted_ms FROM observations "
                        "WHERE slot = ?1 ON CONFLICT DO NOTHING",
                        row));
  RETURN_IF_ERROR(RunOn(database_,
                        "DELETE FROM revisions WHERE id = (SELECT id FROM observations WHERE slot "
                        "= ?1)",
                        row));
  return RunOn(database_, "DELETE FROM observations WHERE slot = ?1", row);
}

Result<int64_t> SqliteSweep::ForgetKeys(int64_t used_before_ms, int64_t most) {
  ASSIGN_OR_RETURN(Statement remove,
                   database_.Prepare("DELETE FROM idempotency WHERE key IN (SELECT key FROM "
                                     "idempotency WHERE used_ms < ?1 ORDER BY used_ms LIMIT ?2)"));
  RETURN_IF_ERROR(remove.Bind(used_before_ms).Bind(most).Run());
  return database_.Changes();
}

}  // namespace memory
