// The table `deletions`: deletions and later writes of the same text.
#include "memory/sqlite/removal/deletions.h"

#include "lib/base/json/json.h"
#include "memory/sqlite/tables/rows.h"
#include "memory/sqlite/tables/viewer.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;

Result<DeletedRow> SqliteDeletions::ReadDeleted(RowId slot) {
  ASSIGN_OR_RETURN(
      Statement read,
      database_.Prepare("SELECT o.id, s.id, p.name, o.created_ms, o.hash, o.type, o.scope, o.rule, "
                        "t.scope, t.scope_id, EXISTS(SELECT 1 FROM retired r WHERE r.slot = o.slot)"
                        " FROM observations o LEFT JOIN traces t ON t.slot = "
                        "o.slot AND EXISTS(" MEMORY_OWNED_TRACE
                        ") JOIN sessions s ON s.number = o.session "
                        "JOIN projects p ON p.number = o.project WHERE o.slot = ?1"));
  ASSIGN_OR_RETURN(bool found, read.Bind(slot).Step());
  if (!found) return Error{Code::kInternal, "a row vanished inside its transaction"};
  DeletedRow deleted;
  api::Observation& row = deleted.row;
  row.id = read.Int(0), row.created_ms = read.Int(3);
  row.session_id = read.Text(1), row.project = read.Text(2), row.normalized_hash = read.Text(4);
  row.type = read.Text(5), row.scope = read.Text(6), row.source.rule = read.Text(7);
  if (!read.IsNull(8)) deleted.owner_scope = read.Text(8), deleted.owner_id = read.Text(9);
  deleted.retired = read.Int(10) != 0;
  ASSIGN_OR_RETURN(Statement first,
                   database_.Prepare("SELECT type, content FROM revisions WHERE id = ?1 "
                                     "ORDER BY revision LIMIT 1"));
  ASSIGN_OR_RETURN(bool changed, first.Bind(row.id).Step());
  if (!changed) return deleted;
  deleted.first_type = first.Text(0);
  deleted.first_hash = api::NormalizedHash(first.Text(1));
  return deleted;
}

Result<std::vector<int64_t>> SqliteDeletions::TextsAt(int64_t place) {
  ASSIGN_OR_RETURN(Statement read,
                   database_.Prepare("SELECT text FROM deletions WHERE place = ?1 LIMIT 2"));
  return read.Bind(place).ReadAll(IntAt);
}

// Each owner is one look-up.
Result<bool> SqliteDeletions::NewestIsDeletion(int64_t text, const Owners& owners) {
  int64_t newest = 0;
  bool deletion = false;
  const auto look = [&](Statement read) -> Status {
    ASSIGN_OR_RETURN(const bool found, read.Step());
    if (!found || read.Int(0) <= newest) return {};
    newest = read.Int(0);
    deletion = read.Int(1) != 0;
    return {};
  };
  if (!owners) {
    ASSIGN_OR_RETURN(Statement of_all,
                     database_.Prepare("SELECT number, place IS NOT NULL FROM deletions WHERE text "
                                       "= ?1 ORDER BY number DESC LIMIT 1"));
    of_all.Bind(text);
    RETURN_IF_ERROR(look(std::move(of_all)));
    return deletion;
  }
  std::vector<std::optional<int64_t>> each = {std::nullopt};
  each.insert(each.end(), owners->begin(), owners->end());
  for (const std::optional<int64_t>& owner : each) {
    ASSIGN_OR_RETURN(
        Statement of_one,
        database_.Prepare("SELECT number, place IS NOT NULL FROM deletions WHERE text "
                          "= ?1 AND owner IS NOT DISTINCT FROM ?2 ORDER BY number DESC LIMIT 1"));
    of_one.Bind(text).Bind(owner);
    RETURN_IF_ERROR(look(std::move(of_one)));
  }
  return deletion;
}

Result<bool> SqliteDeletions::HasDeletion(int64_t text, int64_t created_ms) {
  ASSIGN_OR_RETURN(Statement read,
                   database_.Prepare("SELECT 1 FROM deletions WHERE text = ?1 AND created_ms = ?2 "
                                     "AND place IS NOT NULL LIMIT 1"));
  return read.Bind(text).Bind(created_ms).Step();
}

Status SqliteDeletions::Append(const Deletion& entry) {
  ASSIGN_OR_RETURN(Statement add,
                   database_.Prepare("INSERT INTO deletions(text, created_ms, place, "
                                     "owner) VALUES(?1, ?2, ?3, ?4)"));
  add.Bind(entry.text).Bind(entry.created_ms).Bind(entry.place).Bind(entry.owner);
  RETURN_IF_ERROR(add.Run());
  ASSIGN_OR_RETURN(Statement drop, database_.Prepare("DELETE FROM deletions WHERE number <= "
                                                     "(SELECT max(number) FROM deletions) - ?1"));
  return drop.Bind(kMostDeletions).Run();
}

Status SqliteDeletions::Forget(const DeletionDigests& row, const Owners& owners) {
  ASSIGN_OR_RETURN(
      Statement forget,
      database_.Prepare("DELETE FROM deletions WHERE place IN (SELECT place FROM deletions WHERE "
                        "place = ?1 UNION ALL SELECT place FROM deletions WHERE text = ?2 AND "
                        "CAST(?3 AS BIGINT) IN (created_ms, 0) AND place IS NOT NULL AND (CAST(?4 "
                        "AS TEXT) IS NULL OR owner IS "
                        "NULL OR owner IN (SELECT CAST(value AS BIGINT) FROM json_each(?4))))"));
  forget.Bind(row.place.value_or(0)).Bind(row.text).Bind(row.created_ms);
  if (owners)
    forget.Bind(base::DumpJson(*owners));
  else
    forget.BindNull();
  return forget.Run();
}

}  // namespace memory
