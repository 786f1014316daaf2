// Lists and counts. The index of rows by change has their type before the time: it is one index for
// lists of a type, for lists without logs and for what is over, and a list of all types is merged
// from one stretch for each type (docs/adr/0042).
#include "memory/store_lists.h"

#include <algorithm>
#include <map>

#include "lib/base/limits/answer_charge.h"
#include "memory/answer_limit.h"
#include "memory/store_retention.h"
#include "memory/store_rows.h"
#include "memory/store_state.h"
#include "memory/store_then.h"

namespace memory {

using api::Observation;
using base::Code;
using base::Error;
using base::Result;
using base::Status;
using sqlite::Database;
using sqlite::Statement;

namespace {

// One stretch of an index: of a range and a type, or of scope global, a project and a type.
#define MEMORY_IN_RANGE "observations o INDEXED BY observations_recent WHERE o.range = ?1 "
#define MEMORY_SHARED \
  "observations o INDEXED BY observations_shared WHERE o.range = 0 AND o.project = ?1 "

bool IsShared(int64_t range, std::optional<int64_t> project) {
  return range == kGlobalRange && project.has_value();
}

struct Changed {
  int64_t updated_ms = 0, id = 0, slot = 0;
};

bool ChangedLater(const Changed& a, const Changed& b) {
  return a.updated_ms != b.updated_ms ? a.updated_ms > b.updated_ms : a.id > b.id;
}

// The rows of one type that belong among the newest, which are at most `limit`.
Status AddType(Database& database, int64_t range, std::optional<int64_t> project,
               const std::string& type, const Filter& filter, std::vector<Changed>& newest) {
#define MEMORY_NEWEST                                                                 \
  "AND o.deleted_ms IS NULL AND o.type = ?2 AND (o.updated_ms, o.id) < (?3, ?4) AND " \
  "o.updated_ms >= ?5 AND " MEMORY_LIVE "ORDER BY o.updated_ms DESC, o.id DESC LIMIT ?6"
  const bool shared = IsShared(range, project);
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare(
          shared ? "SELECT o.updated_ms, o.id, o.slot FROM " MEMORY_SHARED MEMORY_NEWEST
                 : "SELECT o.updated_ms, o.id, o.slot FROM " MEMORY_IN_RANGE MEMORY_NEWEST));
  RowKey before{INT64_MAX, INT64_MAX};
  if (filter.before) before = *filter.before;
  if (filter.as_of_ms && *filter.as_of_ms < before.ms) before = {*filter.as_of_ms, INT64_MAX};
  // Once there are enough, only rows at least as new as the last of them count.
  const bool enough = newest.size() >= filter.limit;
  read.Bind(shared ? *project : range).Bind(std::string_view(type));
  read.Bind(before.ms).Bind(before.id).Bind(enough ? newest.back().updated_ms : INT64_MIN);
  read.Bind(static_cast<int64_t>(filter.limit));
  for (;;) {
    ASSIGN_OR_RETURN(bool row, read.Step());
    if (!row) break;
    newest.push_back({read.Int(0), read.Int(1), read.Int(2)});
  }
  std::sort(newest.begin(), newest.end(), ChangedLater);
  if (newest.size() > filter.limit) newest.resize(filter.limit);
  return {};
}

// Rows of each project that are over and not hidden yet: the counts of the ranges have them still.
Result<std::map<int64_t, int64_t>> CountOver(Database& database, const Lifetimes& lifetimes,
                                             int64_t first, int64_t last) {
#define MEMORY_OVER \
  "AND o.deleted_ms IS NULL AND o.type = ?2 AND o.updated_ms <= ?3 AND NOT (" MEMORY_LIVE ")"
  const auto policy = lifetimes.policy();
  const int64_t now_ms = lifetimes.NowMs();
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
  for (;;) {
    ASSIGN_OR_RETURN(bool row, ranges.Step());
    if (!row) return over;
    const int64_t project = ranges.Int(0);
    if (ranges.Int(1) > 0) RETURN_IF_ERROR(count(project, false));
    if (ranges.Int(2) > 0) RETURN_IF_ERROR(count(project, true));
  }
}

// The session of a row and its place there, whether the row shows or not.
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

// Where the rows of a session were not written in the order of their times (imports), they are
// sorted for each list.
#define MEMORY_BESIDE                                        \
  MEMORY_SELECT_OBSERVATION                                  \
  "JOIN observations c ON c.slot = ?1 WHERE o.session = ?2 " \
  "AND " MEMORY_LIVE
#define MEMORY_ALONG MEMORY_SELECT_OBSERVATION "WHERE o.session = ?2 AND " MEMORY_LIVE

Result<std::vector<Observation>> Side(Database& database, const InSession& around, bool later,
                                      size_t limit) {
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
  return AllObservations(std::move(read), kAnswerBytes / 2);
}

}  // namespace

Result<std::vector<std::string>> TypesOf(Database& database, int64_t range,
                                         std::optional<int64_t> project) {
  // From one type to the next, without a look at the rows between them.
#define MEMORY_TYPES(stretch)                                                       \
  "WITH RECURSIVE t(type) AS (SELECT (SELECT min(o.type) FROM " stretch             \
  "AND o.deleted_ms IS NULL) UNION ALL SELECT (SELECT min(o.type) FROM " stretch    \
  "AND o.deleted_ms IS NULL AND o.type > t.type) FROM t WHERE t.type IS NOT NULL) " \
  "SELECT type FROM t WHERE type IS NOT NULL"
  const bool shared = IsShared(range, project);
  std::vector<std::string> types;
  ASSIGN_OR_RETURN(Statement read, database.Prepare(shared ? MEMORY_TYPES(MEMORY_SHARED)
                                                           : MEMORY_TYPES(MEMORY_IN_RANGE)));
  read.Bind(shared ? *project : range);
  for (;;) {
    ASSIGN_OR_RETURN(bool row, read.Step());
    if (!row) return types;
    types.push_back(read.Text(0));
  }
}

Result<std::vector<Observation>> Newest(Database& database, const Reach& reach,
                                        const Filter& filter, bool logs) {
  std::vector<Observation> rows;
  if (filter.limit == 0) return rows;
  ASSIGN_OR_RETURN(std::vector<int64_t> ranges, RangesOf(database, reach));
  std::vector<Changed> newest;
  for (int64_t range : ranges) {
    std::vector<std::string> types;
    if (filter.type) {
      types = {*filter.type};
    } else {
      ASSIGN_OR_RETURN(types, TypesOf(database, range, reach.project));
      if (!logs)
        std::erase_if(types,
                      [](const auto& type) { return type == "audit" || type == "security"; });
    }
    for (const std::string& type : types)
      RETURN_IF_ERROR(AddType(database, range, reach.project, type, filter, newest));
  }
  size_t bytes = 0;
  base::AnswerCharge charge;
  for (const Changed& place : newest) {
    if (bytes > kAnswerBytes) break;
    ASSIGN_OR_RETURN(Statement read,
                     database.Prepare(MEMORY_SELECT_OBSERVATION "WHERE o.slot = ?1"));
    read.Bind(place.slot);
    ASSIGN_OR_RETURN(bool row, read.Step());
    if (!row) continue;
    rows.push_back(ObservationAt(read));
    const size_t row_bytes = AnswerBytes(rows.back());
    RETURN_IF_ERROR(charge.Add(row_bytes));
    bytes += row_bytes;
  }
  return rows;
}

Result<std::vector<Observation>> Store::Recent(const Filter& filter) {
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(state_->readers, filter.stop));
  ASSIGN_OR_RETURN(Reach reach, ReachOf(snapshot.database(), filter, false));
  return Newest(snapshot.database(), reach, filter, true);
}

Result<std::vector<Observation>> Store::Timeline(int64_t id, size_t before, size_t after,
                                                 std::optional<int64_t> around) {
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(state_->readers));
  Database& database = snapshot.database();
  ASSIGN_OR_RETURN(InSession place, FindInSession(database, id));
  if (!place.live) return Error{Code::kNotFound, "there is no observation " + std::to_string(id)};
  if (around) {
    Result<InSession> moved = FindInSession(database, *around);
    // Whoever may read a row may read its session, and no other one.
    if (!moved || moved->session != place.session) {
      return Error{Code::kInvalid, "cursor is none of a timeline of observation " +
                                       std::to_string(id) +
                                       ", or its row was erased since; "
                                       "leave it out to begin again"};
    }
    place = *moved;
    if (!place.mixed) ++place.position;  // later rows begin behind it
  }
  ASSIGN_OR_RETURN(std::vector<Observation> rows, Side(database, place, false, before + 1));
  ASSIGN_OR_RETURN(std::vector<Observation> following, Side(database, place, true, after + 1));
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

Result<Totals> Store::Count(const std::optional<std::string>& project) {
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
  if (state_->lifetimes->policy()->Ends()) {
    ASSIGN_OR_RETURN(over, CountOver(snapshot.database(), *state_->lifetimes, first, last));
  }
  for (;;) {
    ASSIGN_OR_RETURN(bool row, read.Step());
    if (!row) return totals;
    const int64_t live = read.Int(2) - over[read.Int(3)];
    if (read.Int(1) + live == 0) continue;
    totals.projects.push_back(read.Text(0));
    totals.sessions += read.Int(1);
    totals.observations += live;
  }
}

}  // namespace memory
