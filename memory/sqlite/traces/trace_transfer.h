// Traces and edges of a file, for exports and imports. Everything runs in the caller's transaction.
#pragma once

#include <functional>
#include <optional>

#include "lib/sqlite/database.h"
#include "memory/store/transfers.h"

namespace memory {

bool HasTraces(sqlite::Database& database);  // false: the file is of a version before them

// Reads on behind slot `after`, in order of slots, of one project or of all; `live_only`: of a
// store, whose observations may be over; else of a file from elsewhere. `take` gets the slot and
// says whether it wants more. → whether that was the last.
base::Result<bool> ReadExportedTraces(
    sqlite::Database& database, std::optional<int64_t> project, bool live_only, int64_t after,
    const std::function<bool(int64_t slot, ExportedTrace&&)>& take);
// The same over the slots that edges leave; all edges of a slot come together. Both ends are of the
// project, where one is given.
base::Result<bool> ReadExportedEdges(
    sqlite::Database& database, std::optional<int64_t> project, bool live_only, int64_t after,
    const std::function<bool(int64_t slot, std::vector<ExportedEdge>&&)>& take);

// Gives a row of a store its trace and its edges to live rows up to number `last`, the heaviest
// first; both ends are of the project, where one is given.
base::Status ReadTraceOfRow(sqlite::Database& database, std::optional<int64_t> project,
                            int64_t last, ExportedRow& row);

// Whether it was taken.
base::Result<bool> ImportTrace(sqlite::Database& database, const ExportedTrace& trace);
base::Result<bool> ImportEdge(sqlite::Database& database, const ExportedEdge& edge);
base::Result<bool> ImportNumberedEdge(sqlite::Database& database, const NumberedEdge& edge);

}  // namespace memory
