// The log.
#include "memory/sqlite/consolidation/run_log.h"

#include <algorithm>

#include "lib/base/text/text.h"
#include "memory/sqlite/tables/rows.h"

namespace memory {

using base::Json;
using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;

namespace {

constexpr int64_t kRunsKept = 100;
constexpr int64_t kTrimmedAtOnce = 2000;  // changes: about 5 ms

// Whose a run is: of any conversation.
std::string OwnerOf(const TraceContext& context) {
  return base::DumpJson({base::FoldCase(context.project), context.user, context.agent});
}

Json EncodeCounts(const ConsolidationCounts& counts) {
  return {{"pruned", counts.pruned},
          {"merged", counts.merged},
          {"strengthened", counts.strengthened},
          {"derived", counts.derived},
          {"compacted", counts.compacted}};
}

Result<LoggedRun> RunAt(const Statement& row) {
  LoggedRun read;
  read.number = row.Int(0);
  read.run.id = row.Text(1);
  read.run.started_ms = row.Int(2);
  read.run.duration_ms = row.Int(3);
  ASSIGN_OR_RETURN(const Json counts, base::ParseJson(row.Text(4)));
  read.run.counts = {counts.value("pruned", int64_t{0}), counts.value("merged", int64_t{0}),
                     counts.value("strengthened", int64_t{0}), counts.value("derived", int64_t{0}),
                     counts.value("compacted", int64_t{0})};
  if (!row.IsNull(5)) read.run.undone_ms = row.Int(5);
  read.run.derive = row.Text(6);
  return read;
}

#define MEMORY_SELECT_RUN                                                        \
  "SELECT number, run, started_ms, duration_ms, counts, undone_ms, derive FROM " \
  "consolidation_log "

}  // namespace

std::string PrunedBy(const std::string& run) { return "pruned by run " + run; }

Result<bool> TrimRuns(Database& database, const TraceContext& context) {
  const std::string owner = OwnerOf(context);
#define MEMORY_BEYOND                                                                    \
  "(SELECT number FROM consolidation_log WHERE context = ?1 ORDER BY number DESC LIMIT " \
  "9223372036854775807 OFFSET ?2)"
  ASSIGN_OR_RETURN(
      Statement actions,
      database.Prepare("DELETE FROM consolidation_actions WHERE number IN (SELECT number FROM "
                       "consolidation_actions WHERE run IN " MEMORY_BEYOND " LIMIT ?3)"));
  RETURN_IF_ERROR(actions.Bind(owner).Bind(kRunsKept - 1).Bind(kTrimmedAtOnce).Run());
  if (database.Changes() == kTrimmedAtOnce) return false;
  ASSIGN_OR_RETURN(Statement runs, database.Prepare("DELETE FROM consolidation_log WHERE number "
                                                    "IN " MEMORY_BEYOND));
  RETURN_IF_ERROR(runs.Bind(owner).Bind(kRunsKept - 1).Run());
  return true;
}

Result<int64_t> BeginRun(Database& database, const TraceContext& context, const std::string& id,
                         int64_t now_ms) {
  ASSIGN_OR_RETURN(
      Statement begin,
      database.Prepare("INSERT INTO consolidation_log(run, context, started_ms, "
                       "duration_ms, counts) VALUES(?1, ?2, ?3, 0, '{}') RETURNING number"));
  begin.Bind(id).Bind(OwnerOf(context)).Bind(now_ms);
  ASSIGN_OR_RETURN(const auto number, begin.ReadFirst(IntAt));
  RETURN_IF_ERROR(begin.Run());
  return number.value_or(0);
}

Status NoteAction(Database& database, int64_t run, const ConsolidationAction& action) {
  ASSIGN_OR_RETURN(Statement note,
                   database.Prepare("INSERT INTO consolidation_actions(run, step, slot, other, "
                                    "before, after) VALUES(?1, ?2, ?3, ?4, ?5, ?6)"));
  note.Bind(run).Bind(action.step).Bind(action.slot).Bind(action.other);
  for (const std::optional<double>& weight : {action.before, action.after})
    weight ? note.Bind(*weight) : note.BindNull();
  return note.Run();
}

Status EndRun(Database& database, int64_t run, const ConsolidationRun& done) {
  ASSIGN_OR_RETURN(Statement end,
                   database.Prepare("UPDATE consolidation_log SET duration_ms = ?2, counts = "
                                    "?3, derive = ?4 WHERE number = ?1"));
  end.Bind(run).Bind(done.duration_ms).Bind(base::DumpJson(EncodeCounts(done.counts)));
  return end.Bind(done.derive).Run();
}

Status NoteDeriveRequest(Database& database, int64_t run, const TraceContext& context,
                         const std::string& writer) {
  ASSIGN_OR_RETURN(Statement note,
                   database.Prepare("UPDATE consolidation_log SET request = ?2 WHERE number = ?1"));
  const Json request = {context.project, context.conversation, context.user, context.agent, writer};
  return note.Bind(run).Bind(base::DumpJson(request)).Run();
}

Result<std::string> DecodeDeriveRequest(const std::string& request, TraceContext& context) {
  ASSIGN_OR_RETURN(const Json names, base::ParseJson(request));
  if (!names.is_array() || names.size() != 5 ||
      !std::all_of(names.begin(), names.end(), [](const Json& name) { return name.is_string(); }))
    return base::Error{base::Code::kInternal, "the request of a run is damaged"};
  context = {names[0].get<std::string>(), names[1].get<std::string>(), names[2].get<std::string>(),
             names[3].get<std::string>()};
  return names[4].get<std::string>();
}

Result<int64_t> CountRunsToDerive(Database& database) {
  ASSIGN_OR_RETURN(
      Statement count,
      database.Prepare("SELECT count(*) FROM consolidation_log WHERE derive = 'pending'"));
  ASSIGN_OR_RETURN(const bool there, count.Step());
  return there ? count.Int(0) : 0;
}

Result<std::vector<LoggedRun>> ReadRuns(Database& database, const TraceContext& context,
                                        size_t limit) {
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare(MEMORY_SELECT_RUN "WHERE context = ?1 ORDER BY number DESC LIMIT ?2"));
  read.Bind(OwnerOf(context)).Bind(static_cast<int64_t>(limit));
  std::vector<LoggedRun> runs;
  RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) -> Status {
    ASSIGN_OR_RETURN(LoggedRun one, RunAt(row));
    runs.push_back(std::move(one));
    return {};
  }));
  return runs;
}

Result<std::vector<LoggedRun>> ReadRunsAfter(Database& database,
                                             const std::optional<std::string>& project,
                                             int64_t after, const std::optional<Viewer>& viewer) {
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare(MEMORY_SELECT_RUN
                       "WHERE number > ?1 AND (CAST(?2 AS TEXT) IS NULL OR "
                       "json_extract(context, '$[0]') = ?2) AND (CAST(?4 AS TEXT) IS NULL OR "
                       "(json_extract(context, '$[1]') = ?4 AND "
                       "json_extract(context, '$[2]') = ?5)) ORDER BY number "
                       "LIMIT ?3"));
  read.Bind(after);
  read.Bind(project ? std::optional(base::FoldCase(*project)) : std::nullopt).Bind(kRunsKept);
  if (viewer)
    read.Bind(viewer->user).Bind(viewer->agent);
  else
    read.BindNull().BindNull();
  std::vector<LoggedRun> runs;
  RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) -> Status {
    ASSIGN_OR_RETURN(LoggedRun one, RunAt(row));
    runs.push_back(std::move(one));
    return {};
  }));
  return runs;
}

Result<std::optional<LoggedRun>> FindRun(Database& database, const TraceContext& context,
                                         const std::string& id) {
  ASSIGN_OR_RETURN(Statement read,
                   database.Prepare(MEMORY_SELECT_RUN "WHERE run = ?1 AND context = ?2"));
  ASSIGN_OR_RETURN(const bool there, read.Bind(id).Bind(OwnerOf(context)).Step());
  if (!there) return std::optional<LoggedRun>();
  ASSIGN_OR_RETURN(LoggedRun found, RunAt(read));
  return std::optional(std::move(found));
}

Result<std::vector<std::pair<int64_t, ConsolidationAction>>> LastActions(Database& database,
                                                                         int64_t run,
                                                                         int64_t most) {
  ASSIGN_OR_RETURN(Statement read,
                   database.Prepare("SELECT number, step, slot, other, before, after FROM "
                                    "consolidation_actions WHERE run = ?1 ORDER BY number DESC "
                                    "LIMIT ?2"));
  read.Bind(run).Bind(most);
  std::vector<std::pair<int64_t, ConsolidationAction>> actions;
  RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) {
    ConsolidationAction one{row.Text(1), row.Int(2), row.Int(3), {}, {}};
    if (!row.IsNull(4)) one.before = row.Real(4);
    if (!row.IsNull(5)) one.after = row.Real(5);
    actions.emplace_back(row.Int(0), std::move(one));
  }));
  return actions;
}

Status ForgetAction(Database& database, int64_t number) {
  ASSIGN_OR_RETURN(Statement forget,
                   database.Prepare("DELETE FROM consolidation_actions WHERE number = ?1"));
  return forget.Bind(number).Run();
}

Status NoteUndone(Database& database, int64_t run, int64_t now_ms) {
  ASSIGN_OR_RETURN(Statement note,
                   database.Prepare("UPDATE consolidation_log SET undone_ms = ?2 WHERE number = ?1 "
                                    "AND undone_ms IS NULL"));
  return note.Bind(run).Bind(now_ms).Run();
}

}  // namespace memory
