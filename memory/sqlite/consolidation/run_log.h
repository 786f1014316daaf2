// The log of consolidation runs and their changes. Everything runs in the caller's transaction.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/sqlite/database.h"
#include "memory/store/consolidation.h"

namespace memory {

// One change of a run, for its undo.
struct ConsolidationAction {
  std::string step;              // prune, merge, strengthen, compact, derive
  int64_t slot = 0, other = 0;   // of an edge: from and to; of a compacted or derived trace: its
                                 // revision
  std::optional<double> before;  // of an edge: its earlier weight; nullopt: a new edge
};

inline constexpr const char* kDerivePending = "pending";
inline constexpr const char* kCoactivated = "coactivated";  // edges of traces found together

// → the number of the new run. The log keeps the newest hundred runs of a project.
base::Result<int64_t> BeginRun(sqlite::Database& database, const TraceContext& context,
                               const std::string& id, int64_t now_ms);
// The context for which the insights of an ended run are derived.
base::Status NoteDeriveRequest(sqlite::Database& database, int64_t run, const TraceContext& context,
                               const std::string& writer);
// → the writer.
base::Result<std::string> DecodeDeriveRequest(const std::string& request, TraceContext& context);
base::Result<int64_t> CountRunsToDerive(sqlite::Database& database);
base::Status NoteAction(sqlite::Database& database, int64_t run, const ConsolidationAction& action);
base::Status EndRun(sqlite::Database& database, int64_t run, const ConsolidationRun& done);
// Of the context; their numbers beside them.
struct LoggedRun {
  int64_t number = 0;
  ConsolidationRun run;
};
base::Result<std::vector<LoggedRun>> ReadRuns(sqlite::Database& database,
                                              const TraceContext& context, size_t limit);
// Of all contexts, of one project if it is given; the next hundred behind `after`.
base::Result<std::vector<LoggedRun>> ReadRunsAfter(sqlite::Database& database,
                                                   const std::optional<std::string>& project,
                                                   int64_t after);
base::Result<std::optional<LoggedRun>> FindRun(sqlite::Database& database,
                                               const TraceContext& context, const std::string& id);
// The last first, at most `most`.
base::Result<std::vector<std::pair<int64_t, ConsolidationAction>>> LastActions(
    sqlite::Database& database, int64_t run, int64_t most);
base::Status ForgetAction(sqlite::Database& database, int64_t number);
base::Status NoteUndone(sqlite::Database& database, int64_t run, int64_t now_ms);

}  // namespace memory
