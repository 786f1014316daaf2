// The log of consolidation runs and their changes. Everything runs in the caller's transaction.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/sql/database.h"
#include "memory/store/consolidation.h"

namespace memory {

// One change of a run, for its undo.
struct ConsolidationAction {
  std::string step;              // prune, merge, strengthen, compact, derive
  int64_t slot = 0, other = 0;   // of an edge: from and to; else the trace and its revision (0: of
                                 // an earlier version, which kept none of a merge)
  std::optional<double> before;  // of an edge: its earlier weight; nullopt: a new edge
  std::optional<double> after;   // of an edge: its weight since the run; of an insight: its edges
};

// The reason of a trace that the run hid.
std::string PrunedBy(const std::string& run);
inline constexpr const char* kDerivePending = "pending";
inline constexpr const char* kCoactivated = "coactivated";  // edges of traces found together

// The log keeps the newest hundred runs of a context. Before a new one: removes what is beyond, at
// most a few thousand changes. → whether that was all.
base::Result<bool> TrimRuns(sql::Database& database, const TraceContext& context);
// → the number of the new run.
base::Result<int64_t> BeginRun(sql::Database& database, const TraceContext& context,
                               const std::string& id, int64_t now_ms);
// The context for which the insights of an ended run are derived.
base::Status NoteDeriveRequest(sql::Database& database, int64_t run, const TraceContext& context,
                               const std::string& writer);
// → the writer.
base::Result<std::string> DecodeDeriveRequest(const std::string& request, TraceContext& context);
base::Result<int64_t> CountRunsToDerive(sql::Database& database);
base::Status NoteAction(sql::Database& database, int64_t run, const ConsolidationAction& action);
base::Status EndRun(sql::Database& database, int64_t run, const ConsolidationRun& done);
// Of the context; their numbers beside them.
struct LoggedRun {
  int64_t number = 0;
  ConsolidationRun run;
};
base::Result<std::vector<LoggedRun>> ReadRuns(sql::Database& database, const TraceContext& context,
                                              size_t limit);
// Of all contexts, of one project or one user and Agent if they are given; the next hundred behind
// `after`.
base::Result<std::vector<LoggedRun>> ReadRunsAfter(sql::Database& database,
                                                   const std::optional<std::string>& project,
                                                   int64_t after,
                                                   const std::optional<Viewer>& viewer);
base::Result<std::optional<LoggedRun>> FindRun(sql::Database& database, const TraceContext& context,
                                               const std::string& id);
// The last first, at most `most`.
base::Result<std::vector<std::pair<int64_t, ConsolidationAction>>> LastActions(
    sql::Database& database, int64_t run, int64_t most);
base::Status ForgetAction(sql::Database& database, int64_t number);
base::Status NoteUndone(sql::Database& database, int64_t run, int64_t now_ms);

}  // namespace memory
