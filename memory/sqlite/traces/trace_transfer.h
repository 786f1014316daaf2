// Traces and edges of a file, for exports and imports. Everything runs in the caller's transaction.
#pragma once

#include <functional>
#include <optional>

#include "lib/sqlite/database.h"
#include "memory/store/transfers.h"

namespace memory {

bool HasTraces(sqlite::Database& database);  // false: the file is of a version before them

// Of one project, or of all; `live_only`: of a store, whose observations may be over; else of a
// file from elsewhere.
struct TraceReading {
  std::optional<int64_t> project;
  bool live_only = false;
  int64_t now_ms = 0;  // of whole traces, for the strength
  StrengthRules rules;
  bool vectors = false;  // of whole traces
};

// Reads on behind slot `after`, in order of slots. `take` gets the slot and says whether it wants
// more. → whether that was the last.
base::Result<bool> ReadExportedTraces(
    sqlite::Database& database, const TraceReading& reading, int64_t after,
    const std::function<bool(int64_t slot, ExportedTrace&&)>& take);
// The same over the slots that edges leave; all edges of a slot come together. Both ends are of the
// project, where one is given.
base::Result<bool> ReadExportedEdges(
    sqlite::Database& database, const TraceReading& reading, int64_t after,
    const std::function<bool(int64_t slot, std::vector<ExportedEdge>&&)>& take);
// The same over all observations.
base::Result<bool> ReadWholeTraces(sqlite::Database& database, const TraceReading& reading,
                                   int64_t after,
                                   const std::function<bool(int64_t slot, WholeTrace&&)>& take);

// Gives a row of a store its trace and its edges to live rows up to number `last`, the heaviest
// first; both ends are of the project, where one is given.
base::Status ReadTraceOfRow(sqlite::Database& database, std::optional<int64_t> project,
                            int64_t last, ExportedRow& row);

// Whether it was taken.
base::Result<bool> ImportTrace(sqlite::Database& database, const ExportedTrace& trace);
base::Result<EdgeTaken> ImportEdge(sqlite::Database& database, const ExportedEdge& edge);
base::Result<EdgeTaken> ImportNumberedEdge(sqlite::Database& database, const NumberedEdge& edge);

}  // namespace memory
