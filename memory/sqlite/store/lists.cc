// Timelines and counts.
#include <algorithm>
#include <map>

#include "memory/model/slots.h"
#include "memory/sqlite/store/state.h"
#include "memory/sqlite/tables/live.h"
#include "memory/sqlite/tables/recency_index.h"
#include "memory/sqlite/tables/rows.h"
#include "memory/sqlite/tables/viewer.h"
#include "memory/store/answer_limit.h"

namespace memory {

using api::Observation;
using base::Code;
using base::Error;
using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;

namespace {

// Expired rows of each project that are not hidden yet: the counts of ranges include them.
Result<std::map<int64_t, int64_t>> CountOver(Database& database, const Liveness& liveness,
                                             int64_t first, int64_t last) {
#define MEMORY_OVER \
  "AND o.deleted_ms IS NULL AND o.type = ?2 AND o.updated_ms <= ?3 AND NOT (" MEMORY_LIVE ")"
  const auto policy = liveness.policy();
  const int64_t now_ms = liveness.NowMs();
  std::map<int64_t, int64_t> over;
  auto count = [&](int64_t project, bool shared) -> Status {
    ASSIGN_OR_RETURN(std::vector<std::string> types,
                     TypesOf(database, shared ? kGlobalRange : project, project));
    for (const std::string& type : types) {
      const int64_t kept_ms =
          policy->KeptSince(project, shared ? "global" : "project", type, now_ms);
      if (kept_ms == INT64_MIN) continue;
      ASSIGN_OR_RETURN(
          Statement read,
          database.Prepare(shared ? "SELECT count(*) FROM " MEMORY_SHARED MEMORY_OVER
                                  : "SELECT count(*) FROM " MEMORY_IN_RANGE MEMORY_OVER));
      read.Bind(project).Bind(std::string_view(type)).Bind(kept_ms);
      ASSIGN_OR_RETURN(bool row, read.Step());
      if (row) over[project] += read.Int(0);
    }
    return {};
  };
  ASSIGN_OR_RETURN(Statement ranges,
                   database.Prepare("SELECT number, live_rows, shared_rows FROM ranges "
                                    "WHERE number BETWEEN max(?1, 1) AND ?2"));
  ranges.Bind(first).Bind(last);
  RETURN_IF_ERROR(ranges.ForEachRow([&](const Statement& range) -> Status {
    const int64_t project = range.Int(0);
    if (range.Int(1) > 0) RETURN_IF_ERROR(count(project, false));
    return range.Int(2) > 0 ? count(project, true) : Status();
  }));
  return over;
}

// Of a project, what a viewer does not see.
struct Hidden {
  int64_t rows = 0, sessions = 0;
};

Result<std::map<int64_t, Hidden>> CountHidden(Database& database, const Viewer& viewer,
                                              int64_t first, int64_t last) {
  std::map<int64_t, Hidden> hidden;
  for (const bool rows : {true, false}) {
    ASSIGN_OR_RETURN(
        Statement read,
        database.Prepare(
            rows ? "SELECT o.project, count(*) FROM traces h JOIN observations o ON "
                   "o.slot = h.slot WHERE o.project BETWEEN ?4 AND ?5 AND " MEMORY_LIVE
                   "AND NOT (true " MEMORY_SEEN_BY("?1", "?2", "?3") ") GROUP BY 1"
                 : "SELECT s.project, count(*) FROM sessions s WHERE s.project "
                   "BETWEEN ?4 AND ?5 AND s.implied <> 0 AND NOT (true " MEMORY_SESSION_SEEN_BY(
                       "?1", "?2", "?3") ") GROUP BY 1"));
    BindViewer(read, viewer).Bind(first).Bind(last);
    RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) {
      Hidden& of_project = hidden[row.Int(0)];
      (rows ? of_project.rows : of_project.sessions) = row.Int(1);
    }));
  }
  return hidden;
}

// The session of a row and its position there, also of a hidden row.
struct InSession {
  int64_t slot = 0, session = 0, position = 0;
  bool live = false, mixed = false;
};

Result<InSession> FindInSession(Database& database, int64_t id) {
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare("SELECT o.slot, o.session, o.position, " MEMORY_LIVE
                       ", s.mixed FROM observations o JOIN sessions s ON s.number = o.session "
                       "WHERE o.id = ?1"));
  read.Bind(id);
  ASSIGN_OR_RETURN(bool row, read.Step());
  if (!row) return Error{Code::kNotFound, "there is no observation " + std::to_string(id)};
  return InSession{read.Int(0), read.Int(1), read.Int(2), read.Int(3) != 0, read.Int(4) != 0};
}

// Sorts the rows of a session for each list if they were not written in the order of their times
// (imports).
#define MEMORY_BESIDE                                        \
  MEMORY_SELECT_OBSERVATION                                  \
  "JOIN observations c ON c.slot = ?1 WHERE o.session = ?2 " \
  "AND " MEMORY_LIVE MEMORY_SEEN_BY("?4", "?5", "?6")
#define MEMORY_ALONG \
  MEMORY_SELECT_OBSERVATION "WHERE o.session = ?2 AND " MEMORY_LIVE MEMORY_SEEN_BY("?4", "?5", "?6")

Result<std::vector<Observation>> Side(Database& database, const InSession& around, bool later,
                                      size_t limit, const std::optional<Viewer>& viewer) {
  const char* sql = nullptr;
  if (around.mixed && later) {
    sql = MEMORY_BESIDE
        "AND (o.created_ms, o.id) >= (c.created_ms, c.id) ORDER BY o.created_ms, o.id LIMIT ?3";
  } else if (around.mixed) {
    sql = MEMORY_BESIDE
        "AND (o.created_ms, o.id) < (c.created_ms, c.id) "
        "ORDER BY o.created_ms DESC, o.id DESC LIMIT ?3";
  } else if (later) {
    sql = MEMORY_ALONG "AND o.position >= ?1 ORDER BY o.position LIMIT ?3";
  } else {
    sql = MEMORY_ALONG "AND o.position < ?1 ORDER BY o.position DESC LIMIT ?3";
  }
  ASSIGN_OR_RETURN(Statement read, database.Prepare(sql));
  read.Bind(around.mixed ? around.slot : around.position).Bind(around.session);
  read.Bind(static_cast<int64_t>(limit));
  BindViewer(read, viewer);
  return AllObservations(std::move(read), kAnswerBytes / 2);
}

}  // namespace

Result<std::vector<Observation>> StoreReads::Timeline(int64_t id, size_t before, size_t after,
                                                      std::optional<int64_t> around,
                                                      const std::optional<Viewer>& viewer) {
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(state_->readers));
  Database& database = snapshot.database();
  ASSIGN_OR_RETURN(InSession place, FindInSession(database, id));
  if (!place.live) return Error{Code::kNotFound, "there is no observation " + std::to_string(id)};
  if (around) {
    Result<InSession> moved = FindInSession(database, *around);
    bool seen = true;
    if (moved && viewer) {
      ASSIGN_OR_RETURN(seen, memory::IsSeenBy(database, *viewer, moved->slot));
    }
    // Access to a row implies access to its session only, and there to what the viewer sees.
    if (!moved || moved->session != place.session || !seen) {
      return Error{Code::kInvalid, "cursor is none of a timeline of observation " +
                                       std::to_string(id) +
                                       ", or its row was erased since; "
                                       "leave it out to begin again"};
    }
    place = *moved;
    if (!place.mixed) ++place.position;  // later rows start after it
  }
  ASSIGN_OR_RETURN(std::vector<Observation> rows, Side(database, place, false, before + 1, viewer));
  ASSIGN_OR_RETURN(std::vector<Observation> following,
                   Side(database, place, true, after + 1, viewer));
  if (around) {
    const auto itself = [&](const Observation& row) { return row.id == *around; };
    std::erase_if(rows, itself);
    std::erase_if(following, itself);
    following.resize(std::min(following.size(), after));
  }
  rows.resize(std::min(rows.size(), before));
  std::reverse(rows.begin(), rows.end());
  std::move(following.begin(), following.end(), std::back_inserter(rows));
  return rows;
}

Result<Totals> StoreReads::Count(const std::optional<std::string>& project,
                                 const std::optional<Viewer>& viewer) {
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(state_->readers));
  Totals totals;
  int64_t first = 0, last = INT64_MAX;
  if (project) {
    ASSIGN_OR_RETURN(std::optional<int64_t> number, FindProject(snapshot.database(), *project));
    if (!number) return totals;
    first = last = *number;
  }
  ASSIGN_OR_RETURN(Statement read,
                   snapshot.database().Prepare(
                       "SELECT p.name, r.sessions, r.live_rows + r.shared_rows, p.number "
                       "FROM projects p JOIN ranges r ON r.number = p.number "
                       "WHERE p.number BETWEEN ?1 AND ?2 ORDER BY p.name"));
  read.Bind(first).Bind(last);
  std::map<int64_t, int64_t> over;
  if (state_->liveness->policy()->Ends()) {
    ASSIGN_OR_RETURN(over, CountOver(snapshot.database(), *state_->liveness, first, last));
  }
  std::map<int64_t, Hidden> hidden;
  if (viewer) {
    ASSIGN_OR_RETURN(hidden, CountHidden(snapshot.database(), *viewer, first, last));
  }
  RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) {
    const Hidden& unseen = hidden[row.Int(3)];
    const int64_t live = row.Int(2) - over[row.Int(3)] - unseen.rows;
    const int64_t sessions = row.Int(1) - unseen.sessions;
    if (sessions + live == 0) return;
    totals.projects.push_back(row.Text(0));
    totals.sessions += sessions;
    totals.observations += live;
  }));
  return totals;
}

}  // namespace memory
