// Traces and edges of a file, for exports and imports. Everything runs in the caller's transaction.
#pragma once

#include <functional>
#include <optional>

#include "lib/sql/database.h"
#include "memory/store/transfers.h"

namespace memory {

// One project, or all; `live_only`: skips expired observations (of a store; an import reads all of
// an uploaded file).
struct TraceReading {
  std::optional<int64_t> project;
  bool live_only = false;
  int64_t now_ms = 0;  // of whole traces, for the strength
  StrengthRules rules;
  bool vectors = false;               // of whole traces
  std::optional<Viewer> viewer = {};  // of a store: only what it sees
};

// Reads slots after `after`, in order, until `take` returns false. → whether the end is reached.
base::Result<bool> ReadExportedTraces(
    sql::Database& database, const TraceReading& reading, int64_t after,
    const std::function<bool(int64_t slot, ExportedTrace&&)>& take);
// The same over slots with outgoing edges; all edges of a slot come together. If a project is
// given, both ends belong to it.
base::Result<bool> ReadExportedEdges(
    sql::Database& database, const TraceReading& reading, int64_t after,
    const std::function<bool(int64_t slot, std::vector<ExportedEdge>&&)>& take);
// The same over all observations.
base::Result<bool> ReadWholeTraces(sql::Database& database, const TraceReading& reading,
                                   int64_t after,
                                   const std::function<bool(int64_t slot, WholeTrace&&)>& take);

// Adds its trace to a row of a store, and its edges to live rows up to number `last`, the heaviest
// first. If a project is given, both ends belong to it; a viewer sees both.
base::Status ReadTraceOfRow(sql::Database& database, const TraceReading& reading, int64_t last,
                            ExportedRow& row);

// Whether it was stored.
base::Result<bool> ImportTrace(sql::Database& database, const ExportedTrace& trace);
base::Result<EdgeTaken> ImportEdge(sql::Database& database, const ExportedEdge& edge);
base::Result<EdgeTaken> ImportNumberedEdge(sql::Database& database, const NumberedEdge& edge);

}  // namespace memory
