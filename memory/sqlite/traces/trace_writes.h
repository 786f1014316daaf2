// What a write of a trace does inside a transaction: made, merged of others, taken apart again.
#pragma once

#include <string>
#include <vector>

#include "memory/sqlite/traces/trace_rows.h"
#include "memory/sqlite/writing/saving.h"

namespace memory {

// What every write of a store's traces needs.
struct TraceWriting {
  const std::string& salt;  // of the file; outlives this
  FactsOfRow facts_of;      // any thread
  StrengthRules strength;
};

// Of a trace's observation: the conversation, else one of each scope id. Neighbours of a trace are
// of the same user, and an import tells what two users said alike.
std::string TraceSessionName(const std::string& scope, const TraceContext& context);

// Made before the transaction, off the writer's thread.
Saving SavingOf(const NewTrace& trace, const TraceContext& context, const TraceWriting& writing,
                int64_t now_ms);
// A new trace with an observation of its own.
base::Result<TraceRow> InsertTrace(sqlite::Database& database, const TraceContext& context,
                                   const NewTrace& trace, Saving& saving);

// Live traces as they lie in the file, and the same with retrievals that are not written down yet.
struct MergeSources {
  std::vector<TraceRow> stored, now;
};
// Sources are hidden with a reference to the new trace and keep their edges, so that nothing has to
// be noted for the way back. `content` empty: those of the sources, one a line. kInvalid: the
// sources are of two scopes, or too much for one trace.
base::Result<TraceRow> MergeInside(sqlite::Database& database, const TraceContext& context,
                                   MergeSources sources, const std::string& content,
                                   const api::Source& source, const TraceWriting& writing,
                                   int64_t now_ms);
// → the sources that are back; none: `merged` stays as it is.
base::Result<std::vector<std::string>> UnmergeInside(sqlite::Database& database, TraceRow merged,
                                                     const std::string& salt, int64_t now_ms);

}  // namespace memory
