// Imports rows of an export: keeps free ids, times and counts, overwrites nothing, and skips rows
// that exist or were deleted here.
#include "lib/base/json/json.h"
#include "memory/sqlite/removal/deletions.h"
#include "memory/sqlite/store/state.h"
#include "memory/sqlite/tables/duplicates.h"
#include "memory/sqlite/tables/retired.h"
#include "memory/sqlite/tables/rows.h"
#include "memory/sqlite/tables/viewer.h"
#include "memory/sqlite/traces/trace_rows.h"
#include "memory/sqlite/writing/known_row.h"

namespace memory {

using api::Observation;
using base::Code;
using base::Error;
using base::Result;
using base::Status;
using sqlite::Database;
using sqlite::Statement;

namespace {

// The state of the id of an imported row.
struct UnderId {
  bool free = false;  // the row may keep it
  bool same = false;  // the id belongs to the same row
  bool deleted = false;
  int64_t slot = 0;
};

Result<UnderId> LookUnderId(Database& database, const Observation& row, int64_t project,
                            int64_t session, const std::optional<Viewer>& viewer) {
  if (row.id <= 0 || row.id > kHighestKeptId) return UnderId();
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare("SELECT slot, deleted_ms IS NOT NULL, project = ?2 AND "
                       "session = ?3 AND (created_ms = ?4 OR (?4 = 0 AND hash = ?5 " MEMORY_SEEN_BY(
                           "?6", "?7", "?8") ")), hash = ?5 "
                                             "FROM observations o WHERE id = ?1"));
  read.Bind(row.id).Bind(project).Bind(session).Bind(row.created_ms).Bind(row.normalized_hash);
  BindViewer(read, viewer);
  ASSIGN_OR_RETURN(bool taken, read.Step());
  // A row with another text is not the one that was hidden here.
  bool deleted = taken && read.Int(1) != 0;
  if (taken)
    return UnderId{false, read.Int(2) != 0 && (!deleted || read.Int(3) != 0), deleted, read.Int(0)};
  ASSIGN_OR_RETURN(const bool free, IsFreeId(database, row.id));
  return UnderId{free, false, false, 0};
}

// The live row with the topic key; kConflict if its text differs.
Result<std::optional<int64_t>> FindTopic(Database& database, const Observation& row,
                                         int64_t project) {
  if (row.topic_key.empty()) return std::optional<int64_t>();
  ASSIGN_OR_RETURN(Statement read,
                   database.Prepare("SELECT slot, id, hash = ?4 FROM observations WHERE topic_key "
                                    "= ?1 AND project = ?2 AND scope = ?3 AND deleted_ms IS NULL"));
  read.Bind(row.topic_key).Bind(project).Bind(row.scope).Bind(row.normalized_hash);
  ASSIGN_OR_RETURN(bool found, read.Step());
  if (!found) return std::optional<int64_t>();
  if (read.Int(2)) return std::optional<int64_t>(read.Int(0));
  return Error{Code::kConflict, "topic_key \"" + row.topic_key + "\" belongs to observation " +
                                    std::to_string(read.Int(1)) + ", which says something else"};
}

Status AddRevisions(Database& database, int64_t id, const ExportedRow& given) {
  for (const Revision& old : given.revisions) {
    if (old.revision >= given.row.revision_count) continue;
    ASSIGN_OR_RETURN(
        Statement add,
        database.Prepare("INSERT OR IGNORE INTO revisions(id, revision, replaced_ms, written_ms, "
                         "type, title, tags, origin, content) "
                         "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"));
    add.Bind(id).Bind(old.revision).Bind(old.replaced_ms).Bind(old.written_ms).Bind(old.type);
    add.Bind(old.title).Bind(base::DumpJson(old.tags)).Bind(old.origin).Bind(old.content);
    RETURN_IF_ERROR(add.Run());
  }
  return {};
}

// The trace that a new row is, too. Its id is that of the observation's number, which no other has.
Status AddTrace(Database& database, int64_t id, const ExportedTrace& trace) {
  ASSIGN_OR_RETURN(Statement read, database.Prepare("SELECT slot FROM observations WHERE id = ?1"));
  ASSIGN_OR_RETURN(const bool there, read.Bind(id).Step());
  if (!there) return {};
  TraceRow row;
  row.slot = read.Int(0);
  row.id = NumberedTraceId(id);
  row.scope = trace.scope;
  row.scope_id = trace.scope_id;
  row.strength = trace.strength;
  row.metadata = trace.metadata;
  return PutTrace(database, row);
}

Result<Imported> AtSlot(Database& database, Imported::Outcome outcome, int64_t slot) {
  ASSIGN_OR_RETURN(Statement read, database.Prepare("SELECT id FROM observations WHERE slot = ?1"));
  ASSIGN_OR_RETURN(const bool there, read.Bind(slot).Step());
  return Imported{outcome, there ? read.Int(0) : 0};
}

Result<Imported> ImportRow(Database& database, const ExportedRow& given, const TextFacts& facts,
                           const ImportOptions& options, const std::string& salt, int64_t now_ms) {
  Observation row = given.row;
  ASSIGN_OR_RETURN(const Location location,
                   FindOrAddLocation(database, row.session_id, row.project,
                                     row.created_ms != 0 ? row.created_ms : options.now_ms));
  const auto [project, session] = location;
  ASSIGN_OR_RETURN(UnderId under, LookUnderId(database, row, project, session, options.viewer));
  std::optional<Place> same;
  if (under.same) same = Place{under.slot, !under.deleted};
  if (!same && options.dedup) {
    ASSIGN_OR_RETURN(same, FindImported(database, row, project, session, options.viewer));
  }
  if (!same || !same->live) {
    const DeletionDigests digests = DigestsOf(salt, row);
    const Owners owners = OwnersFor(salt, row.created_ms == 0 ? options.viewer : std::nullopt);
    std::optional<int64_t> hidden;
    if (same) hidden = same->slot;
    ASSIGN_OR_RETURN(bool deleted, WasDeleted(database, salt, digests, owners, hidden));
    if (deleted && !options.restore) return Imported{Imported::kSkippedDeleted, 0};
    if (deleted) RETURN_IF_ERROR(ForgetDeletion(database, digests, owners));
  }
  if (same && !same->live) {
    RETURN_IF_ERROR(FreeTopic(database, row.topic_key, project, row.scope, now_ms));
    ASSIGN_OR_RETURN(bool revived, Revive(database, same->slot));
    return AtSlot(database, revived ? Imported::kNew : Imported::kSkipped, same->slot);
  }
  std::optional<int64_t> here;
  if (same) here = same->slot;
  if (!here) {
    RETURN_IF_ERROR(FreeTopic(database, row.topic_key, project, row.scope, now_ms));
    ASSIGN_OR_RETURN(here, FindTopic(database, row, project));
  }
  if (here) {
    ASSIGN_OR_RETURN(const Imported::Outcome met, MeetAgain(database, *here, row.tags, options));
    return AtSlot(database, met, *here);
  }
  if (!under.free) row.id = 0;
  if (row.created_ms == 0) row.created_ms = options.now_ms;
  if (row.updated_ms == 0) row.updated_ms = row.created_ms;
  if (row.last_seen_ms == 0) row.last_seen_ms = row.updated_ms;
  ASSIGN_OR_RETURN(int64_t id, InsertRow(database, row, facts, location));
  RETURN_IF_ERROR(AddRevisions(database, id, given));
  if (given.trace) RETURN_IF_ERROR(AddTrace(database, id, *given.trace));
  return Imported{Imported::kNew, id};
}

Result<Imported> ImportSession(Database& database, const api::Session& session) {
  ASSIGN_OR_RETURN(const Location location,
                   FindOrAddLocation(database, session.id, session.project, session.started_ms));
  // Only a session that exists just because of its observations takes times and summary.
  ASSIGN_OR_RETURN(
      Statement write,
      database.Prepare("UPDATE sessions SET started_ms = ?2, ended_ms = ?3, summarized_ms = ?4, "
                       "summary = ?5, message_count = ?6, predecessor = ?7, implied = 0 "
                       "WHERE number = ?1 AND implied = 1 RETURNING number"));
  write.Bind(location.session).Bind(session.started_ms).Bind(session.ended_ms);
  int64_t summarized_ms = session.ended_ms != 0 ? session.ended_ms : session.started_ms;
  write.Bind(session.summary.empty() ? int64_t{0} : summarized_ms);
  write.Bind(session.summary).Bind(session.message_count).Bind(session.predecessor);
  ASSIGN_OR_RETURN(bool changed, write.Step());
  if (!changed) return Imported{Imported::kSkipped, 0};
  RETURN_IF_ERROR(write.Run());
  return Imported{Imported::kNew, 0};
}

// Each row has its own savepoint, so that a conflict refuses only that row.
template <class Row, class Take>
Result<SqliteStore::ImportOutcomes> TakeEach(Database& database, const std::vector<Row>& rows,
                                             const Take& take) {
  SqliteStore::ImportOutcomes outcomes;
  for (const Row& row : rows) {
    ASSIGN_OR_RETURN(sqlite::Transaction savepoint, sqlite::Transaction::Begin(database));
    Result<Imported> outcome = take(row);
    if (!outcome && outcome.error().code != Code::kConflict) return outcome.error();
    if (outcome) RETURN_IF_ERROR(savepoint.Commit());
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

}  // namespace

Result<SqliteStore::ImportOutcomes> SqliteStore::Import(const std::vector<ExportedRow>& rows,
                                                        const ImportOptions& options) {
  RETURN_IF_ERROR(state_->AdmitGrowth());
  const int64_t now_ms = state_->liveness->NowMs();
  std::vector<TextFacts> facts;  // computed off the writer's thread
  for (const ExportedRow& row : rows)
    facts.push_back(state_->Facts(row.row.title, row.row.content));
  return state_->writer->Run<ImportOutcomes>([&](Database& database) {
    return TakeEach(database, rows, [&](const ExportedRow& row) {
      const TextFacts& of_row = facts[static_cast<size_t>(&row - rows.data())];
      return ImportRow(database, row, of_row, options, state_->salt, now_ms);
    });
  });
}

Result<SqliteStore::ImportOutcomes> SqliteStore::Import(const std::vector<api::Session>& sessions) {
  RETURN_IF_ERROR(state_->AdmitGrowth());
  return state_->writer->Run<ImportOutcomes>([&](Database& database) {
    return TakeEach(database, sessions,
                    [&](const api::Session& session) { return ImportSession(database, session); });
  });
}

}  // namespace memory
