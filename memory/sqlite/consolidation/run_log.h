// Runs of consolidation and what each of them changed. Everything runs in the caller's transaction.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/sqlite/database.h"
#include "memory/store/consolidation.h"

namespace memory {

// What an undo needs of one change.
struct ConsolidationAction {
  std::string step;              // prune, merge, strengthen, compact, derive
  int64_t slot = 0, other = 0;   // of an edge: from and to; of a compacted or derived trace: its
                                 // revision
  std::optional<double> before;  // of an edge: its weight; none: there was none
};

inline constexpr const char* kDerivePending = "pending";
inline constexpr const char* kCoactivated = "coactivated";  // edges of traces found together

// → the number of the run, which nothing of is known yet. Of a project's runs the newest hundred
// stay.
base::Result<int64_t> BeginRun(sqlite::Database& database, const TraceContext& context,
                               const std::string& id, int64_t now_ms);
// What the run's insights are looked for with, once it has ended.
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
base::Result<std::vector<LoggedRun>> ReadRunsBehind(sqlite::Database& database,
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
