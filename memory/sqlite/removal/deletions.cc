// A log of deletions and of later writes of the same text. The newest entry of a text decides, so
// that look-ups cost the same however often a text was deleted.
#include "memory/sqlite/removal/deletions.h"

#include "lib/base/json/json.h"
#include "lib/base/text/text.h"
#include "memory/sqlite/tables/keys.h"
#include "memory/sqlite/tables/retired.h"
#include "memory/sqlite/tables/viewer.h"
#include "memory/store/trace.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;
using sqlite::Database;
using sqlite::Statement;

namespace {

// A changed row also gets an entry for its first text, which an import without ids brings.
struct StoredDigests {
  DeletionDigests row;
  std::optional<int64_t> first_text, owner;
};

Result<StoredDigests> ReadDigests(Database& database, const std::string& salt, int64_t slot) {
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare("SELECT o.id, s.id, p.name, o.created_ms, o.hash, o.type, o.scope, o.rule, "
                       "t.scope, t.scope_id FROM observations o LEFT JOIN traces t ON t.slot = "
                       "o.slot AND EXISTS(" MEMORY_OWNED_TRACE
                       ") JOIN sessions s ON s.number = o.session "
                       "JOIN projects p ON p.number = o.project WHERE o.slot = ?1"));
  ASSIGN_OR_RETURN(bool found, read.Bind(slot).Step());
  if (!found) return Error{Code::kInternal, "a row vanished inside its transaction"};
  api::Observation row;
  row.id = read.Int(0), row.created_ms = read.Int(3);
  row.session_id = read.Text(1), row.project = read.Text(2), row.normalized_hash = read.Text(4);
  row.type = read.Text(5), row.scope = read.Text(6), row.source.rule = read.Text(7);
  StoredDigests digests{DigestsOf(salt, row), {}, {}};
  if (!read.IsNull(8)) digests.owner = OwnerDigest(salt, read.Text(8), read.Text(9));
  ASSIGN_OR_RETURN(Statement first,
                   database.Prepare("SELECT type, content FROM revisions WHERE id = ?1 "
                                    "ORDER BY revision LIMIT 1"));
  ASSIGN_OR_RETURN(bool changed, first.Bind(row.id).Step());
  if (!changed) return digests;
  const int64_t text = TextDigest(salt, api::NormalizedHash(first.Text(1)), first.Text(0),
                                  row.scope, row.source.rule, row.project);
  if (text != digests.row.text) digests.first_text = text;
  return digests;
}

Result<bool> IsKnown(Database& database, int64_t place) {
  ASSIGN_OR_RETURN(Statement read,
                   database.Prepare("SELECT 1 FROM deletions WHERE place = ?1 LIMIT 1"));
  return read.Bind(place).Step();
}

// Whether the newest entry of the text is a deletion. Each owner is one look-up.
Result<bool> IsUnwanted(Database& database, int64_t text, const Owners& owners) {
  int64_t newest = 0;
  bool unwanted = false;
  const auto look = [&](Statement read) -> Status {
    ASSIGN_OR_RETURN(const bool found, read.Step());
    if (!found || read.Int(0) <= newest) return {};
    newest = read.Int(0);
    unwanted = read.Int(1) != 0;
    return {};
  };
  if (!owners) {
    ASSIGN_OR_RETURN(Statement of_all,
                     database.Prepare("SELECT number, place IS NOT NULL FROM deletions WHERE text "
                                      "= ?1 ORDER BY number DESC LIMIT 1"));
    of_all.Bind(text);
    RETURN_IF_ERROR(look(std::move(of_all)));
    return unwanted;
  }
  std::vector<std::optional<int64_t>> each = {std::nullopt};
  each.insert(each.end(), owners->begin(), owners->end());
  for (const std::optional<int64_t>& owner : each) {
    ASSIGN_OR_RETURN(Statement of_one,
                     database.Prepare("SELECT number, place IS NOT NULL FROM deletions WHERE text "
                                      "= ?1 AND owner IS ?2 ORDER BY number DESC LIMIT 1"));
    of_one.Bind(text).Bind(owner);
    RETURN_IF_ERROR(look(std::move(of_one)));
  }
  return unwanted;
}

// Adds a deletion, or without `place` a write.
Status Append(Database& database, const std::optional<int64_t>& place, int64_t text,
              int64_t created_ms, const std::optional<int64_t>& owner) {
  ASSIGN_OR_RETURN(Statement add, database.Prepare("INSERT INTO deletions(text, created_ms, place, "
                                                   "owner) VALUES(?1, ?2, ?3, ?4)"));
  RETURN_IF_ERROR(add.Bind(text).Bind(created_ms).Bind(place).Bind(owner).Run());
  ASSIGN_OR_RETURN(Statement drop, database.Prepare("DELETE FROM deletions WHERE number <= "
                                                    "(SELECT max(number) FROM deletions) - ?1"));
  return drop.Bind(kMostDeletions).Run();
}

// Whether the place was deleted and none of its texts was written again.
Result<bool> IsUnwantedAt(Database& database, int64_t place) {
  ASSIGN_OR_RETURN(Statement read,
                   database.Prepare("SELECT text FROM deletions WHERE place = ?1 LIMIT 2"));
  read.Bind(place);
  bool found = false, unwanted = true;
  RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) -> Result<bool> {
    found = true;
    ASSIGN_OR_RETURN(unwanted, IsUnwanted(database, row.Int(0), std::nullopt));
    return unwanted;
  }));
  return found && unwanted;
}

Result<bool> IsUnwantedText(Database& database, const DeletionDigests& row, const Owners& owners) {
  if (row.created_ms != 0) {
    ASSIGN_OR_RETURN(Statement read,
                     database.Prepare("SELECT 1 FROM deletions WHERE text = ?1 AND created_ms = ?2 "
                                      "AND place IS NOT NULL LIMIT 1"));
    ASSIGN_OR_RETURN(bool deleted, read.Bind(row.text).Bind(row.created_ms).Step());
    if (!deleted) return false;
  }
  return IsUnwanted(database, row.text, owners);
}

}  // namespace

Owners OwnersFor(const std::string& salt, const std::optional<Viewer>& viewer) {
  if (!viewer) return std::nullopt;
  return std::vector{OwnerDigest(salt, kUserScope, viewer->user),
                     OwnerDigest(salt, kPersonaScope, viewer->agent),
                     OwnerDigest(salt, kThreadScope, viewer->conversation)};
}

Status NoteDeletion(Database& database, const std::string& salt, int64_t slot) {
  ASSIGN_OR_RETURN(StoredDigests digests, ReadDigests(database, salt, slot));
  const int64_t place = digests.row.place.value_or(0);
  ASSIGN_OR_RETURN(bool known, IsKnown(database, place));
  if (known) return {};
  RETURN_IF_ERROR(Append(database, place, digests.row.text, digests.row.created_ms, digests.owner));
  if (!digests.first_text) return {};
  return Append(database, place, *digests.first_text, digests.row.created_ms, digests.owner);
}

Result<bool> WasDeleted(Database& database, const std::string& salt, const DeletionDigests& row,
                        const Owners& owners, std::optional<int64_t> hidden) {
  if (row.place) {
    ASSIGN_OR_RETURN(bool by_place, IsUnwantedAt(database, *row.place));
    if (by_place) return true;
  }
  ASSIGN_OR_RETURN(bool by_text, IsUnwantedText(database, row, owners));
  if (by_text || !hidden) return by_text;
  // Deleted by an earlier version, which kept no log, or so long ago that the log dropped the
  // entry.
  ASSIGN_OR_RETURN(bool retired, IsRetired(database, *hidden));
  if (retired) return false;
  ASSIGN_OR_RETURN(StoredDigests digests, ReadDigests(database, salt, *hidden));
  ASSIGN_OR_RETURN(bool known, IsKnown(database, digests.row.place.value_or(0)));
  return !known;
}

Status ForgetDeletion(Database& database, const DeletionDigests& row, const Owners& owners) {
  ASSIGN_OR_RETURN(
      Statement forget,
      database.Prepare("DELETE FROM deletions WHERE place IN (SELECT place FROM deletions WHERE "
                       "place = ?1 UNION ALL SELECT place FROM deletions WHERE text = ?2 AND "
                       "?3 IN (created_ms, 0) AND place IS NOT NULL AND (?4 IS NULL OR owner IS "
                       "NULL OR owner IN (SELECT value FROM json_each(?4))))"));
  forget.Bind(row.place.value_or(0)).Bind(row.text).Bind(row.created_ms);
  if (owners)
    forget.Bind(base::DumpJson(*owners));
  else
    forget.BindNull();
  return forget.Run();
}

Status NoteWriting(Database& database, int64_t text, const std::optional<int64_t>& owner) {
  const Owners owners = owner ? std::vector{*owner} : std::vector<int64_t>();
  ASSIGN_OR_RETURN(bool unwanted, IsUnwanted(database, text, owners));
  return unwanted ? Append(database, std::nullopt, text, 0, owner) : Status();
}

}  // namespace memory
