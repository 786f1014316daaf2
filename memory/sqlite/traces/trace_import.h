// Imports whole traces, each with its own observation.
#pragma once

#include "lib/sql/database.h"
#include "memory/sqlite/traces/trace_writes.h"
#include "memory/store/transfers.h"

namespace memory {

// Prepared before the transaction, off the writer's thread. `whole` outlives it.
struct ArrivingTrace {
  ArrivingTrace(const WholeTrace& of, const TraceWriting& writing, const ImportOptions& options);
  const WholeTrace& whole;
  api::Observation row;  // without its session
  TraceContext context;  // resolves the scope to the trace's scope id
  TextFacts facts;
};

base::Result<TraceTaken> TakeArriving(sql::Database& database, const ArrivingTrace& arriving,
                                      const std::string& salt, const ImportOptions& options);

}  // namespace memory
