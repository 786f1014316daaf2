// Starts, ends and lists sessions.
#include "lib/base/text/text.h"
#include "memory/sqlite/store/state.h"
#include "memory/sqlite/tables/rows.h"
#include "memory/sqlite/tables/viewer.h"

namespace memory {

using api::Session;
using base::Code;
using base::Error;
using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;

namespace {

Result<std::optional<Session>> FindSession(Database& database, const std::string& id) {
  ASSIGN_OR_RETURN(Statement read, database.Prepare(MEMORY_SELECT_SESSION "WHERE s.id = ?1"));
  return read.Bind(id).ReadFirst(SessionAt);
}

Result<Session> KnownSession(Database& database, const std::string& id) {
  ASSIGN_OR_RETURN(std::optional<Session> session, FindSession(database, id));
  if (!session) return Error{Code::kNotFound, "there is no session " + id};
  return std::move(*session);
}

}  // namespace

Result<Session> Store::StartSession(const std::string& id, const std::string& project,
                                    const std::string& predecessor, int64_t now_ms) {
  RETURN_IF_ERROR(state_->AdmitGrowth());
  return state_->writer->Run<Session>([&](Database& database) -> Result<Session> {
    ASSIGN_OR_RETURN(std::optional<Session> known, FindSession(database, id));
    if (known) {
      if (base::FoldCase(known->project) == base::FoldCase(project)) return std::move(*known);
      return Error{Code::kConflict,
                   "session " + id + " belongs to another project than \"" + project + "\""};
    }
    ASSIGN_OR_RETURN(int64_t number, FindOrAddProject(database, project));
    ASSIGN_OR_RETURN(Statement add,
                     database.Prepare("INSERT INTO sessions(id, project, started_ms, predecessor) "
                                      "VALUES(?1, ?2, ?3, ?4)"));
    add.Bind(std::string_view(id)).Bind(number).Bind(now_ms).Bind(std::string_view(predecessor));
    RETURN_IF_ERROR(add.Run());
    return KnownSession(database, id);
  });
}

Result<Session> Store::EndSession(const std::string& id, const SessionEnd& end, int64_t now_ms) {
  RETURN_IF_ERROR(state_->AdmitGrowth());
  return state_->writer->Run<Session>([&](Database& database) -> Result<Session> {
    ASSIGN_OR_RETURN(const std::optional<Session> known, FindSession(database, id));
    // A session of another project answers like a missing one.
    if (!known || (end.project && base::FoldCase(*end.project) != base::FoldCase(known->project))) {
      return Error{Code::kNotFound, "there is no session " + id +
                                        (end.project ? " in project " + *end.project : "")};
    }
    if (!end.summary.empty()) {
      ASSIGN_OR_RETURN(Statement write,
                       database.Prepare("UPDATE sessions SET summary = ?2, message_count = ?3, "
                                        "summarized_ms = ?4 WHERE id = ?1"));
      write.Bind(std::string_view(id))
          .Bind(std::string_view(end.summary))
          .Bind(end.message_count)
          .Bind(now_ms);
      RETURN_IF_ERROR(write.Run());
    }
    if (!end.interim) {
      // A second end moves the time only if it adds something.
      ASSIGN_OR_RETURN(Statement close,
                       database.Prepare("UPDATE sessions SET ended_ms = ?2, implied = 0 "
                                        "WHERE id = ?1 AND (ended_ms = 0 OR ?3 <> 0)"));
      close.Bind(std::string_view(id)).Bind(now_ms).Bind(int64_t{!end.summary.empty()});
      RETURN_IF_ERROR(close.Run());
    }
    return KnownSession(database, id);
  });
}

Result<std::vector<Session>> StoreReads::RecentSessions(const std::optional<std::string>& project,
                                                        size_t limit, const SessionKey& before,
                                                        const std::optional<Viewer>& viewer) {
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(state_->readers));
  Database& database = snapshot.database();
  int64_t behind = INT64_MAX;
  if (!before.id.empty()) {
    ASSIGN_OR_RETURN(Statement find,
                     database.Prepare("SELECT s.number FROM sessions s WHERE s.id = "
                                      "?4 " MEMORY_SESSION_SEEN_BY("?1", "?2", "?3")));
    BindViewer(find, viewer).Bind(before.id);
    ASSIGN_OR_RETURN(bool known, find.Step());
    if (!known) {
      return Error{Code::kInvalid,
                   "cursor names a session that is not there; leave it out to begin again"};
    }
    behind = find.Int(0);
  }
  if (!project) {
    ASSIGN_OR_RETURN(
        Statement read,
        database.Prepare(
            MEMORY_SELECT_SESSION
            "WHERE (s.started_ms, s.number) < (?4, ?5) " MEMORY_SESSION_SEEN_BY(
                "?1", "?2", "?3") "ORDER BY s.started_ms DESC, s.number DESC LIMIT ?6"));
    BindViewer(read, viewer).Bind(before.ms).Bind(behind).Bind(static_cast<int64_t>(limit));
    return AllSessions(std::move(read));
  }
  ASSIGN_OR_RETURN(std::optional<int64_t> number, FindProject(database, *project));
  if (!number) return std::vector<Session>();
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare(
          MEMORY_SELECT_SESSION
          "WHERE s.project = ?4 AND (s.started_ms, s.number) < (?5, ?6) " MEMORY_SESSION_SEEN_BY(
              "?1", "?2", "?3") "ORDER BY s.started_ms DESC, s.number DESC LIMIT ?7"));
  BindViewer(read, viewer).Bind(*number).Bind(before.ms).Bind(behind);
  read.Bind(static_cast<int64_t>(limit));
  return AllSessions(std::move(read));
}

Result<std::vector<Session>> StoreReads::Summaries(const std::optional<std::string>& project,
                                                   size_t limit, int64_t until_ms) {
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(state_->readers));
  Database& database = snapshot.database();
  if (!project) {
    ASSIGN_OR_RETURN(
        Statement read,
        database.Prepare(MEMORY_SELECT_SESSION
                         "WHERE s.summarized_ms > 0 AND s.summarized_ms <= ?1 ORDER BY "
                         "s.summarized_ms DESC, s.number DESC LIMIT ?2"));
    read.Bind(until_ms).Bind(static_cast<int64_t>(limit));
    return AllSessions(std::move(read));
  }
  ASSIGN_OR_RETURN(std::optional<int64_t> number, FindProject(database, *project));
  if (!number) return std::vector<Session>();
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare(MEMORY_SELECT_SESSION "WHERE s.project = ?1 AND s.summarized_ms > 0 "
                                             "AND s.summarized_ms <= ?2 ORDER BY "
                                             "s.summarized_ms DESC, s.number DESC LIMIT ?3"));
  read.Bind(*number).Bind(until_ms).Bind(static_cast<int64_t>(limit));
  return AllSessions(std::move(read));
}

}  // namespace memory
