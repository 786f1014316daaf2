// Lists of runs, undo, and archived originals.
#include "memory/sqlite/consolidation/sqlite_consolidation.h"

#include "lib/base/process/log.h"
#include "memory/sqlite/tables/rows.h"
#include "memory/sqlite/traces/archive.h"
#include "memory/sqlite/traces/trace_edges.h"

namespace memory {

using base::Result;
using base::Status;
using sqlite::Database;

namespace {

constexpr int64_t kUndoneAtOnce = 50;
constexpr int64_t kRemovedAtOnce = 500;
constexpr int64_t kDayMs = 86'400'000;

void Count(const std::string& step, ConsolidationCounts& counts) {
  if (step == "prune") ++counts.pruned;
  if (step == "merge") ++counts.merged;
  if (step == "derive") ++counts.derived;
  if (step == "compact") ++counts.compacted;
}

}  // namespace

Result<std::vector<ConsolidationRun>> SqliteConsolidation::Runs(const TraceContext& context,
                                                                size_t limit) {
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(parts_.readers));
  ASSIGN_OR_RETURN(auto logged, ReadRuns(snapshot.database(), context, limit));
  std::vector<ConsolidationRun> runs;
  for (LoggedRun& one : logged) runs.push_back(std::move(one.run));
  return runs;
}

// Undoes one change. → false: the row changed since the run and stays.
Result<bool> SqliteConsolidation::UndoOne(Database& database, const ConsolidationAction& action) {
  if (action.step == "strengthen") {
    if (!action.before) return RemoveTraceEdge(database, action.slot, action.other);
    RETURN_IF_ERROR(
        PutTraceEdge(database, action.slot, {action.other, kCoactivated, *action.before}));
    return true;
  }
  ASSIGN_OR_RETURN(auto row, ReadTrace(database, action.slot));
  if (!row) return false;
  if (action.step == "prune") {
    if (row->live) return false;
    ASSIGN_OR_RETURN(const bool shown, ShowInside(database, parts_.writing.salt, action.slot));
    if (!shown) return false;
    row->reason.clear();
    RETURN_IF_ERROR(PutTrace(database, *row));
    return true;
  }
  if (!row->live) return false;
  if (action.step == "derive") {
    if (row->row.revision_count != action.other) return false;
    row->reason = "underived";
    RETURN_IF_ERROR(PutTrace(database, *row));
    RETURN_IF_ERROR(HideInside(database, parts_.writing.salt, action.slot, NowMs()));
    return true;
  }
  if (action.step == "merge") {
    ASSIGN_OR_RETURN(const auto back, UnmergeInside(database, *row, parts_.writing.salt, NowMs()));
    return !back.empty();
  }
  if (row->row.revision_count != action.other) return false;
  Patch patch;
  patch.type = kEpisodic;
  patch.writer = row->row.source.origin;
  patch.replace_user = true;
  ASSIGN_OR_RETURN(const auto archived, FindArchived(database, action.slot));
  if (archived && archived->revision == action.other) patch.content = archived->text;
  RETURN_IF_ERROR(ChangeInside(database, row->row.id, patch, parts_.writing.facts_of, NowMs()));
  RETURN_IF_ERROR(RemoveArchived(database, action.slot));
  return true;
}

Result<std::optional<ConsolidationCounts>> SqliteConsolidation::Undo(const TraceContext& context,
                                                                     const std::string& run) {
  using Counts = std::optional<ConsolidationCounts>;
  std::optional<LoggedRun> logged;
  {
    ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(parts_.readers));
    ASSIGN_OR_RETURN(logged, FindRun(snapshot.database(), context, run));
  }
  if (!logged) return Counts();
  ConsolidationCounts undone;
  int64_t edges = 0;
  for (bool more = true; more;) {
    RETURN_IF_ERROR(parts_.admit());
    ConsolidationCounts part;
    int64_t part_edges = 0;
    RETURN_IF_ERROR(parts_.writer.RunAny([&](Database& database) -> Status {
      part = {}, part_edges = 0;
      ASSIGN_OR_RETURN(const auto actions, LastActions(database, logged->number, kUndoneAtOnce));
      more = !actions.empty();
      for (const auto& [number, action] : actions) {
        ASSIGN_OR_RETURN(const bool did, UndoOne(database, action));
        if (did) Count(action.step, part);
        part_edges += did && action.step == "strengthen";
        RETURN_IF_ERROR(ForgetAction(database, number));
      }
      if (!more) return NoteUndone(database, logged->number, NowMs());
      return {};
    }));
    undone.pruned += part.pruned;
    undone.merged += part.merged;
    undone.derived += part.derived;
    undone.compacted += part.compacted;
    edges += part_edges;
  }
  undone.strengthened = (edges + 1) / 2;  // an edge in each direction
  return Counts(undone);
}

Result<std::optional<Original>> SqliteConsolidation::Rehydrate(const TraceContext& context,
                                                               const std::string& trace) {
  using Found = std::optional<Original>;
  return parts_.writer.Run<Found>([&](Database& database) -> Result<Found> {
    ASSIGN_OR_RETURN(const auto row, FindTrace(database, trace));
    if (!row || !row->live || !IsVisible(*row, context)) return Found();
    const auto archived = FindArchived(database, row->slot);
    if (!archived && archived.error().code == base::Code::kInternal) {
      base::LogError("an archived text is damaged", {{"reason", archived.error().message}});
      return Found(Original());
    }
    if (!archived) return archived.error();
    if (!*archived) return Found(Original());
    RETURN_IF_ERROR(LogAccess(database, row->slot, NowMs()));
    return Found(Original{(*archived)->text, (*archived)->archived_ms});
  });
}

Status SqliteConsolidation::Sweep() {
  if (parts_.rules.archive_days == 0) return {};
  const int64_t since_ms = NowMs() - parts_.rules.archive_days * kDayMs;
  for (int64_t removed = kRemovedAtOnce; removed == kRemovedAtOnce;) {
    RETURN_IF_ERROR(parts_.writer.RunAny(
        [&](Database& database) -> Status {
          ASSIGN_OR_RETURN(removed, RemoveUnread(database, since_ms, kRemovedAtOnce));
          return {};
        },
        sqlite::Writer::Room::kGives));
  }
  return {};
}

}  // namespace memory
