// Lists of runs, undo, and archived originals.
#include "memory/sqlite/consolidation/sqlite_consolidation.h"

#include "lib/base/process/log.h"
#include "memory/sqlite/tables/rows.h"
#include "memory/sqlite/traces/archive.h"
#include "memory/sqlite/traces/trace_edges.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;
using sql::Database;

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

// Whether an insight is as the model wrote it, with the edges to its sources alone.
Result<bool> IsAsDerived(Database& database, const TraceRow& row,
                         const ConsolidationAction& action) {
  if (row.row.revision_count != action.other) return false;
  ASSIGN_OR_RETURN(const auto edges, StoredEdges(database, row.slot));
  for (const EdgeRow& edge : edges)
    if (edge.kind != kDerivedFrom || edge.weight != 1) return false;
  if (action.after && static_cast<double>(edges.size()) != *action.after) return false;
  ASSIGN_OR_RETURN(const bool linked, IsLinked(database, row.slot));
  return !linked;
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

// Undoes one change. → false: the row or the edge changed since the run and stays.
Result<bool> SqliteConsolidation::UndoOne(Database& database, const std::string& run,
                                          const ConsolidationAction& action) {
  if (action.step == "strengthen")
    return RestoreTraceEdge(database, action.slot, action.other, kCoactivated, action.after,
                            action.before);
  ASSIGN_OR_RETURN(auto row, ReadTrace(database, action.slot));
  if (!row) return false;
  if (action.step == "prune") {
    if (row->live || row->reason != PrunedBy(run)) return false;
    ASSIGN_OR_RETURN(const bool shown, ShowInside(database, parts_.writing.salt, action.slot));
    if (!shown) return false;
    row->reason.clear();
    RETURN_IF_ERROR(PutTrace(database, *row));
    return true;
  }
  if (!row->live) return false;
  if (action.step == "derive") {
    ASSIGN_OR_RETURN(const bool same, IsAsDerived(database, *row, action));
    if (!same) return false;
    row->reason = "underived";
    RETURN_IF_ERROR(PutTrace(database, *row));
    RETURN_IF_ERROR(HideInside(database, parts_.writing.salt, action.slot, NowMs()));
    return true;
  }
  if (action.step == "merge") {
    ASSIGN_OR_RETURN(const bool same, IsAsMerged(database, *row, action.other != 0));
    if (!same) return false;
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
  if (active_ == logged->number) {
    return Error{Code::kConflict, "run " + run + " is not over; undo it when it is"};
  }
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
        ASSIGN_OR_RETURN(const bool did, UndoOne(database, run, action));
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
  using Answer = std::optional<Original>;
  int64_t slot = 0;
  Original original;
  {
    ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(parts_.readers));
    ASSIGN_OR_RETURN(const auto row, FindTrace(snapshot.database(), trace));
    if (!row || !row->live || !IsVisible(*row, context)) return Answer();
    slot = row->slot;
    auto archived = FindArchived(snapshot.database(), slot);
    if (!archived && archived.error().code == Code::kInternal) {
      base::LogError("an archived text is damaged", {{"reason", archived.error().message}});
      return Answer(Original());
    }
    if (!archived) return archived.error();
    if (!*archived) return Answer(Original());
    original = {std::move((*archived)->text), (*archived)->archived_ms};
  }
  RETURN_IF_ERROR(
      parts_.writer.RunAny([&](Database& database) { return LogAccess(database, slot, NowMs()); }));
  return Answer(std::move(original));
}

Status SqliteConsolidation::Sweep() {
  if (int64_t none = 0; parts_.derives && pending_ == none) {
    // Those that another process left when it ended.
    ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::BeginUnhurried(parts_.readers));
    ASSIGN_OR_RETURN(const int64_t left, CountRunsToDerive(snapshot.database()));
    (void)pending_.compare_exchange_strong(none, left);
  }
  if (parts_.rules.archive_days == 0) return {};
  const int64_t since_ms = NowMs() - parts_.rules.archive_days * kDayMs;
  for (int64_t removed = kRemovedAtOnce; removed == kRemovedAtOnce;) {
    RETURN_IF_ERROR(parts_.writer.RunAny(
        [&](Database& database) -> Status {
          ASSIGN_OR_RETURN(removed, RemoveUnread(database, since_ms, kRemovedAtOnce));
          return {};
        },
        sql::Writer::Space::kFrees));
  }
  return {};
}

}  // namespace memory
