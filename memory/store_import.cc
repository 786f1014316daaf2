// Taking rows of an export in: ids, times and counts are kept where they are free, nothing is
// overwritten, and the same row again is skipped (rulings K46).
#include "memory/store_rows.h"
#include "memory/store_state.h"

namespace memory {

using api::Observation;
using base::Code;
using base::Error;
using base::Result;
using base::Status;
using sqlite::Database;
using sqlite::Statement;

namespace {

// Ids above this are not kept: the counter that follows them must not run out below 2^53.
constexpr int64_t kHighestKeptId = int64_t{1} << 52;

Result<bool> Exists(Statement read) { return read.Step(); }

// Whether the row is here already: under its id or another, live or not.
Result<bool> IsHere(Database& database, const Observation& row, int64_t project) {
  ASSIGN_OR_RETURN(
      Statement same_id,
      database.Prepare("SELECT 1 FROM observations o JOIN sessions s ON s.number = o.session "
                       "WHERE o.id = ?1 AND o.project = ?2 AND o.created_ms = ?3 "
                       "AND s.id = ?4"));
  same_id.Bind(row.id).Bind(project).Bind(row.created_ms).Bind(std::string_view(row.session_id));
  ASSIGN_OR_RETURN(bool here, Exists(std::move(same_id)));
  if (here) return true;
  ASSIGN_OR_RETURN(
      Statement same_text,
      database.Prepare("SELECT 1 FROM observations WHERE hash = ?1 AND project = ?2 AND "
                       "scope = ?3 AND type = ?4 AND title = ?5 AND created_ms = ?6"));
  same_text.Bind(std::string_view(row.normalized_hash))
      .Bind(project)
      .Bind(std::string_view(row.scope));
  same_text.Bind(std::string_view(row.type)).Bind(std::string_view(row.title)).Bind(row.created_ms);
  ASSIGN_OR_RETURN(here, Exists(std::move(same_text)));
  if (here || row.topic_key.empty()) return here;
  ASSIGN_OR_RETURN(
      Statement topic,
      database.Prepare("SELECT 1 FROM observations WHERE topic_key = ?1 AND project = ?2 AND "
                       "scope = ?3 AND deleted_ms IS NULL"));
  topic.Bind(std::string_view(row.topic_key)).Bind(project).Bind(std::string_view(row.scope));
  return Exists(std::move(topic));
}

// A row that was soft-deleted here comes back as it was.
Result<bool> Revive(Database& database, const Observation& row, int64_t project) {
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare("SELECT slot FROM observations WHERE id = ?1 AND project = ?2 AND hash = ?3 "
                       "AND created_ms = ?4 AND deleted_ms IS NOT NULL"));
  read.Bind(row.id).Bind(project).Bind(std::string_view(row.normalized_hash)).Bind(row.created_ms);
  ASSIGN_OR_RETURN(bool deleted, read.Step());
  if (!deleted) return false;
  int64_t slot = read.Int(0);
  ASSIGN_OR_RETURN(Statement show,
                   database.Prepare("UPDATE observations SET deleted_ms = NULL WHERE slot = ?1"));
  Status shown = show.Bind(slot).Run();
  if (!shown && shown.error().code == Code::kConflict)
    return false;  // its topic has another row now
  RETURN_IF_ERROR(std::move(shown));
  RETURN_IF_ERROR(PutIntoIndex(database, slot));
  return true;
}

Result<bool> IdIsFree(Database& database, int64_t id) {
  if (id <= 0 || id > kHighestKeptId) return false;
  ASSIGN_OR_RETURN(Statement read,
                   database.Prepare("SELECT 1 FROM observations WHERE id = ?1 UNION ALL "
                                    "SELECT 1 FROM tombstones WHERE id = ?1"));
  read.Bind(id);
  ASSIGN_OR_RETURN(bool taken, Exists(std::move(read)));
  return !taken;
}

Result<Imported> ImportRow(Database& database, Observation row) {
  ASSIGN_OR_RETURN(int64_t session,
                   FindOrAddSession(database, row.session_id, row.project, row.created_ms));
  ASSIGN_OR_RETURN(int64_t project, FindOrAddProject(database, row.project));
  ASSIGN_OR_RETURN(bool revived, Revive(database, row, project));
  if (revived) return Imported::kNew;
  ASSIGN_OR_RETURN(bool here, IsHere(database, row, project));
  if (here) return Imported::kSkipped;
  ASSIGN_OR_RETURN(bool free, IdIsFree(database, row.id));
  if (!free) row.id = 0;
  ASSIGN_OR_RETURN(int64_t id, InsertRow(database, row, session));
  return id > 0 ? Imported::kNew : Imported::kSkipped;
}

}  // namespace

Result<std::vector<Result<Imported>>> Store::Import(const std::vector<Observation>& rows) {
  using Outcomes = std::vector<Result<Imported>>;
  return state_->writer->Run<Outcomes>([&](Database& database) -> Result<Outcomes> {
    Outcomes outcomes;
    for (const Observation& row : rows) {
      ASSIGN_OR_RETURN(sqlite::Transaction savepoint, sqlite::Transaction::Begin(database));
      Result<Imported> outcome = ImportRow(database, row);
      if (outcome)
        RETURN_IF_ERROR(savepoint.Commit());
      else if (outcome.error().code != Code::kConflict)
        return outcome.error();
      outcomes.push_back(std::move(outcome));
    }
    return outcomes;
  });
}

Result<Imported> Store::Import(const api::Session& session) {
  return state_->writer->Run<Imported>([&](Database& database) -> Result<Imported> {
    ASSIGN_OR_RETURN(int64_t number,
                     FindOrAddSession(database, session.id, session.project, session.started_ms));
    // Only a session that so far is implied by its observations takes the times and the summary.
    ASSIGN_OR_RETURN(
        Statement write,
        database.Prepare("UPDATE sessions SET started_ms = ?2, ended_ms = ?3, summarized_ms = ?4, "
                         "summary = ?5, message_count = ?6, predecessor = ?7, implied = 0 "
                         "WHERE number = ?1 AND implied = 1 RETURNING number"));
    write.Bind(number).Bind(session.started_ms).Bind(session.ended_ms);
    int64_t summarized_ms = session.ended_ms != 0 ? session.ended_ms : session.started_ms;
    write.Bind(session.summary.empty() ? int64_t{0} : summarized_ms);
    write.Bind(std::string_view(session.summary))
        .Bind(session.message_count)
        .Bind(std::string_view(session.predecessor));
    ASSIGN_OR_RETURN(bool changed, write.Step());
    if (!changed) return Imported::kSkipped;
    RETURN_IF_ERROR(write.Run());
    return Imported::kNew;
  });
}

}  // namespace memory
