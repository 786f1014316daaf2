// Traces: observations with a kind of memory, a scope, a strength that decays, and edges. Searches
// of observations find them; other observations can be read as traces. Independent of the engine.
#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "memory/store/trace.h"
#include "memory/store/transfers.h"

namespace memory {

// With what is around it.
struct TraceView {
  Trace trace;
  std::vector<TraceEdge> edges;      // to live traces, by their ids
  std::vector<std::string> sources;  // of which it was merged
};

struct TraceAdded {
  std::string id;
  bool created = false;  // false: the same was there
};

// Who changes or hides a trace, as Patch has both.
struct TraceWriter {
  std::string origin = api::kOriginUser;
  bool replace_user = false;
};

struct TraceChange {
  std::optional<std::string> content;
  std::optional<std::vector<std::string>> tags;
  TraceWriter writer;
};

struct TraceMerged {
  std::string id;
  int64_t sources_deleted = 0;
};

struct TraceQuestion {
  std::string text, kind, scope;  // an empty kind or scope: any
  bool operators = false;         // the text is an FTS5 expression; kInvalid when it does not parse
  size_t limit = 10;
  std::optional<double> valence;  // the mood of the query, −1…1
  std::stop_token stop;
};

// The parts of a score, each 0…1.
struct TraceScores {
  double lexical = 0, similarity = 0, strength = 0, emotion = 0, recency = 0, graph = 0,
         importance = 0;
};

// The weights of the parts; their sum need not be 1. Unknown parts (no vectors, no mood) do not
// count.
struct TraceWeights {
  double lexical = 0.4, similarity = 0.3, strength = 0.1, emotion = 0.05, recency = 0.05,
         graph = 0.05, importance = 0.05;
};

struct FoundTrace {
  Trace trace;
  double score = 0;  // 0…1
  TraceScores scores;
};

struct FoundTraces {
  std::vector<FoundTrace> rows;  // best first
  bool partial = false;
};

// Any thread. Writes return after their commit. Ids that no trace of the context has are
// nullopt, false or kInvalid, as each call says. Other errors: kFull, kDenied (a user wrote it),
// kUnavailable.
class Traces {
 public:
  virtual ~Traces() = default;

  // A trace with the same content, kind, scope and scope id exists: it stays unchanged.
  virtual base::Result<TraceAdded> Add(const TraceContext& context, const NewTrace& trace) = 0;
  // false: no such trace.
  virtual base::Result<bool> Update(const TraceContext& context, const std::string& id,
                                    const TraceChange& change) = 0;
  virtual base::Result<bool> Delete(const TraceContext& context, const std::string& id,
                                    const std::string& reason, const TraceWriter& writer) = 0;
  virtual base::Result<std::optional<TraceView>> Get(const TraceContext& context,
                                                     const std::string& id, bool even_deleted) = 0;
  // Empty `content`: the contents of the sources, one per line. kInvalid: an id is unknown, or the
  // scopes differ; nothing changes then. Sources are soft-deleted and keep their edges; the merged
  // trace gets the kMaxTraceEdges heaviest of them, and edges to a source lead to it.
  virtual base::Result<TraceMerged> Merge(const TraceContext& context,
                                          const std::vector<std::string>& ids,
                                          const std::string& content, const api::Source& source,
                                          const TraceWriter& writer) = 0;
  // Deletes the merged trace. → the restored sources. nullopt: no such trace. kInvalid: it is not a
  // merged trace.
  virtual base::Result<std::optional<std::vector<std::string>>> Unmerge(
      const TraceContext& context, const std::string& id, const TraceWriter& writer) = 0;
  // false: one of the traces does not exist. kFull: too many edges.
  virtual base::Result<bool> PutEdge(const TraceContext& context, const std::string& from,
                                     const TraceEdge& edge) = 0;
  virtual base::Result<bool> DeleteEdge(const TraceContext& context, const std::string& from,
                                        const std::string& to) = 0;
  // The similarity of the nearest trace of the context to this text, 0…1: by meaning, without
  // vectors by words; traces with another number, identifier, weekday, month or negation are
  // skipped. Counts as no retrieval.
  virtual base::Result<double> Nearest(const TraceContext& context, const std::string& text) = 0;
  // The newest first, without the organization's.
  virtual base::Result<std::vector<Trace>> Newest(const TraceContext& context, size_t limit) = 0;
  // Prospective traces that became due in the last kDueDays, the latest first.
  virtual base::Result<std::vector<Trace>> Due(const TraceContext& context, size_t limit) = 0;
  // Found traces count as retrieved and get stronger; a crash may lose that.
  virtual base::Result<FoundTraces> Search(const TraceContext& context,
                                           const TraceQuestion& question) = 0;

  // Imports traces after their observations. → for each whether it was stored: existing ones and
  // those without an observation are skipped.
  virtual base::Result<std::vector<bool>> Import(const std::vector<ExportedTrace>& traces) = 0;
  // Imports edges after all traces; existing edges stay.
  virtual base::Result<std::vector<EdgeTaken>> Import(const std::vector<ExportedEdge>& edges) = 0;
  virtual base::Result<std::vector<EdgeTaken>> Import(const std::vector<NumberedEdge>& edges) = 0;
  // Imports traces with their observations. A trace keeps its id, and its observation's number, if
  // they are free. The same trace, or with `dedup` the same content, kind, scope and scope id, is
  // skipped; nothing is overwritten.
  // Returns before the commit; the future waits for it. Concurrent calls run in order and share a
  // sync.
  virtual std::future<base::Result<std::vector<TraceTaken>>> Import(
      std::shared_ptr<const std::vector<WholeTrace>> traces, const ImportOptions& options) = 0;
};

}  // namespace memory
