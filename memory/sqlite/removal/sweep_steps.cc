// The SQL of retention's steps.
#include "memory/sqlite/removal/sweep_steps.h"

#include <algorithm>

#include "lib/base/json/json.h"
#include "memory/keeping/deletions.h"
#include "memory/model/slots.h"
#include "memory/sqlite/removal/deletions.h"
#include "memory/sqlite/removal/hidden_parts.h"
#include "memory/sqlite/tables/keys.h"
#include "memory/sqlite/tables/live.h"
#include "memory/sqlite/tables/retired.h"
#include "memory/sqlite/tables/rows.h"

namespace memory {

using base::Json;
using base::Result;
using base::Status;
using sqlite::Database;
using sqlite::Statement;

namespace {

constexpr int64_t kMostCapped = 20'000;  // of one rule in one round

Result<SweepCandidates> ReadCandidates(Statement read) {
  return read.ReadAll([](const Statement& row) {
    return SweepCandidate{row.Int(0), row.Int(1), row.Int(2)};
  });
}

#define MEMORY_USED                                                                              \
  "max(o.updated_ms, o.seen_ms, coalesce((SELECT u.used_ms FROM uses u WHERE u.slot = o.slot), " \
  "0)) "

}  // namespace

Result<ScanPage> ScanFrom(Database& database, int64_t deleted_ms, SweepPlace& place) {
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare("SELECT o.slot, o.id, o.range, o.type, o.updated_ms, NOT (" MEMORY_LIVE
                       "), o.revision_count > 1 AND EXISTS (SELECT 1 FROM revisions r WHERE r.id = "
                       "o.id AND r.replaced_ms <= kept_since(o.project, o.scope, o.type) - ?6) "
                       "FROM observations o WHERE o.deleted_ms IS NULL AND "
                       "(o.range, o.type, o.updated_ms, o.id) > (?1, ?2, ?3, ?4) "
                       "ORDER BY o.range, o.type, o.updated_ms, o.id LIMIT ?5"));
  read.Bind(place.range).Bind(std::string_view(place.type)).Bind(place.updated_ms).Bind(place.id);
  read.Bind(kLookAt).Bind(deleted_ms);
  ScanPage found;
  int64_t seen = 0;
  RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) {
    ++seen;
    place = {row.Int(2), row.Text(3), row.Int(4), row.Int(1)};
    if (row.Int(5)) found.expired.push_back({row.Int(0), row.Int(1), 0});
    if (row.Int(6)) found.old_texts.push_back({row.Int(0), row.Int(1), 0});
  }));
  found.end = seen < kLookAt;
  if (found.end) place = SweepPlace();
  return found;
}

Result<bool> IsExpired(Database& database, int64_t slot) {
  ASSIGN_OR_RETURN(Statement look,
                   database.Prepare("SELECT NOT (" MEMORY_LIVE ") FROM observations o WHERE "
                                    "o.slot = ?1 AND o.deleted_ms IS NULL"));
  ASSIGN_OR_RETURN(bool there, look.Bind(slot).Step());
  return there && look.Int(0) != 0;
}

Result<bool> IsAsItWas(Database& database, const SweepCandidate& row) {
  ASSIGN_OR_RETURN(Statement look,
                   database.Prepare("SELECT " MEMORY_USED " FROM observations o WHERE "
                                    "o.slot = ?1 AND o.deleted_ms IS NULL"));
  ASSIGN_OR_RETURN(bool there, look.Bind(row.slot).Step());
  return there && look.Int(0) == row.used_ms;
}

namespace {

// The rows of one rule that a cap looks at.
#define MEMORY_OF_RULE                                                         \
  "FROM observations o WHERE o.range = ?1 AND o.project = ?2 AND " MEMORY_LIVE \
  "AND (o.type = ?3 OR ?3 = '*' AND o.type NOT IN (SELECT value FROM json_each(?4)))"
constexpr const char* kCounted = "SELECT count(*) " MEMORY_OF_RULE;
// Least recently used first. A write counts as a use, but protects no row: else a cap would evict
// none. Rows that were read, found or written again since ?5 stay.
constexpr const char* kOldest =
    "SELECT o.slot, o.id, " MEMORY_USED "AS used " MEMORY_OF_RULE
    "AND max(coalesce((SELECT u.used_ms FROM uses u WHERE u.slot = o.slot), 0), "
    "CASE WHEN o.duplicate_count > 0 THEN o.seen_ms ELSE 0 END) < ?5 "
    "ORDER BY used, o.slot LIMIT ?6";

}  // namespace

Result<Cap> FindCapped(Database& database, const RetentionRules& rules, const RetentionRule& rule,
                       int64_t project, int64_t used_since_ms) {
  Json own = Json::array();
  for (const RetentionRule& other : rules) {
    if (other.scope == rule.scope && other.type != "*") own.push_back(other.type);
  }
  const int64_t range = rule.scope == "global" ? kGlobalRange : project;
  auto prepare = [&](const char* sql) -> Result<Statement> {
    ASSIGN_OR_RETURN(Statement read, database.Prepare(sql));
    read.Bind(range).Bind(project).Bind(rule.type).Bind(base::DumpJson(own));
    return read;
  };
  ASSIGN_OR_RETURN(Statement live,
                   database.Prepare("SELECT live_rows FROM ranges WHERE number = ?1"));
  ASSIGN_OR_RETURN(bool known, live.Bind(range).Step());
  if (!known || live.Int(0) <= rule.max_rows) return Cap();  // without a scan of the rows
  ASSIGN_OR_RETURN(Statement count, prepare(kCounted));
  ASSIGN_OR_RETURN(bool row, count.Step());
  const int64_t excess = (row ? count.Int(0) : 0) - rule.max_rows;
  if (excess <= 0) return Cap();
  const int64_t most = std::min(excess, kMostCapped);
  ASSIGN_OR_RETURN(Statement oldest, prepare(kOldest));
  oldest.Bind(used_since_ms).Bind(most);
  ASSIGN_OR_RETURN(SweepCandidates rows, ReadCandidates(std::move(oldest)));
  const int64_t stay = most - static_cast<int64_t>(rows.size());
  return Cap{std::move(rows), stay};
}

namespace {

Status RunOn(Database& database, const char* sql, int64_t number) {
  ASSIGN_OR_RETURN(Statement run, database.Prepare(sql));
  return run.Bind(number).Run();
}

}  // namespace

Result<int64_t> Purge(Database& database, int64_t before_ms, int64_t used_since_ms, int64_t most) {
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare(
          "SELECT o.slot, o.id, 0 FROM observations o WHERE o.deleted_ms <= ?1 AND (" MEMORY_USED
          "< ?2 OR NOT EXISTS (SELECT 1 FROM retired r WHERE r.slot = "
          "o.slot)) ORDER BY o.deleted_ms LIMIT ?3"));
  read.Bind(before_ms).Bind(used_since_ms).Bind(most);
  ASSIGN_OR_RETURN(SweepCandidates rows, ReadCandidates(std::move(read)));
  ASSIGN_OR_RETURN(const std::string salt, SaltOf(database));
  SqliteDeletions log(database);
  int64_t removed = 0;
  for (const SweepCandidate& row : rows) {
    // A trace with many edges takes several transactions.
    ASSIGN_OR_RETURN(const bool unlinked, LeadEdgesOn(database, row.slot));
    if (!unlinked) return std::max<int64_t>(removed, 1);
    ASSIGN_OR_RETURN(bool retired, IsRetired(database, row.slot));
    // An earlier version may have deleted it without an entry.
    if (!retired) RETURN_IF_ERROR(NoteDeletion(log, salt, row.slot));
    RETURN_IF_ERROR(RunOn(database,
                          "INSERT OR IGNORE INTO tombstones SELECT id, deleted_ms FROM "
                          "observations WHERE slot = ?1",
                          row.slot));
    RETURN_IF_ERROR(RunOn(database, "DELETE FROM revisions WHERE id = ?1", row.id));
    RETURN_IF_ERROR(RunOn(database, "DELETE FROM observations WHERE slot = ?1", row.slot));
    ++removed;
  }
  return removed;
}

Result<int64_t> ForgetKeys(Database& database, int64_t before_ms) {
  ASSIGN_OR_RETURN(Statement remove,
                   database.Prepare("DELETE FROM idempotency WHERE key IN (SELECT key FROM "
                                    "idempotency WHERE used_ms < ?1 ORDER BY used_ms LIMIT 500)"));
  RETURN_IF_ERROR(remove.Bind(before_ms).Run());
  return database.Changes();
}

Result<int64_t> RemoveTexts(Database& database, const SweepCandidate& row, int64_t deleted_ms) {
  ASSIGN_OR_RETURN(
      Statement remove,
      database.Prepare("DELETE FROM revisions WHERE id = ?1 AND replaced_ms <= (SELECT kept_since("
                       "o.project, o.scope, o.type) - ?3 FROM observations o WHERE o.slot = ?2)"));
  RETURN_IF_ERROR(remove.Bind(row.id).Bind(row.slot).Bind(deleted_ms).Run());
  return database.Changes();
}

Result<SweepCandidates> FindRestorable(Database& database, int64_t after) {
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare(
          "SELECT o.slot, o.id, 0 FROM retired r JOIN observations o ON o.slot = r.slot "
          "WHERE r.slot > ?1 AND r.reason = 'ttl' AND max(o.updated_ms, o.seen_ms) > "
          "kept_since(o.project, o.scope, o.type) ORDER BY r.slot LIMIT ?2"));
  read.Bind(after).Bind(kLookAt);
  return ReadCandidates(std::move(read));
}

Result<int64_t> RestoreOne(Database& database, int64_t slot) {
  {
    ASSIGN_OR_RETURN(bool there, IsRetired(database, slot));
    if (!there) return 0;  // deleted since the scan
  }
  ASSIGN_OR_RETURN(bool back, Revive(database, slot));
  return back ? 1 : 0;
}

}  // namespace memory
