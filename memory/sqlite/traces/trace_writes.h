// Writes of traces inside a transaction: create, merge, unmerge.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "memory/sqlite/traces/trace_rows.h"
#include "memory/sqlite/writing/observation_rows.h"

namespace memory {

// The parameters common to all writes of a store's traces.
struct TraceWriting {
  const std::string& salt;  // of the file; outlives this
  FactsOfRow facts_of;      // any thread
  StrengthRules strength;
  std::function<int64_t()> decay_now;  // the time by which strengths decay; any thread
};

// The session of a trace's observation: the conversation, else one per scope id. So neighbours of a
// trace belong to the same user, and an import distinguishes equal texts of two users.
std::string TraceSessionName(const std::string& scope, const TraceContext& context);

// Prepared before the transaction, off the writer's thread.
Saving SavingOf(const NewTrace& trace, const TraceContext& context, const TraceWriting& writing,
                int64_t now_ms);
// Inserts a new trace with its own observation.
base::Result<TraceRow> InsertTrace(sql::Database& database, const TraceContext& context,
                                   const NewTrace& trace, Saving& saving);

// Live traces as stored, and the same with retrievals that are not persisted yet.
struct MergeSources {
  std::vector<TraceRow> stored, now;
};
// Hides the sources with a reference to the new trace; they keep their edges, so that an unmerge
// needs no log. Empty `content`: the contents of the sources, one per line. kInvalid: different
// scopes, or too much for one trace.
base::Result<TraceRow> MergeInside(sql::Database& database, const TraceContext& context,
                                   MergeSources sources, const std::string& content,
                                   const api::Source& source, const TraceWriting& writing,
                                   int64_t now_ms);
// Whether a live merged trace is as its merge made it. `by_edges`: also no edge from it or to it is
// another one since.
base::Result<bool> IsAsMerged(sql::Database& database, const TraceRow& merged, bool by_edges);
// → the restored sources, without those that a client deleted since; if none, `merged` stays.
base::Result<std::vector<std::string>> UnmergeInside(sql::Database& database, TraceRow merged,
                                                     const std::string& salt, int64_t now_ms);

}  // namespace memory
