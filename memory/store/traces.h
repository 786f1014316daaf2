// Traces: observations with a kind of memory, a scope of their own, a strength that decays, and
// edges. What finds observations finds them; an observation that is none is read as one. No engine
// shows here.
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
  std::optional<double> valence;  // the mood that is asked in, −1…1
  std::stop_token stop;
};

// What the score is made of, each 0…1.
struct TraceScores {
  double lexical = 0, similarity = 0, strength = 0, emotion = 0, recency = 0, graph = 0,
         importance = 0;
};

// How much each of them counts; their sum need not be 1. A part that nothing can be said of (no
// vectors, no mood) does not count.
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

  // The same content of the same kind, scope and scope id is there already: it stays as it is.
  virtual base::Result<TraceAdded> Add(const TraceContext& context, const NewTrace& trace) = 0;
  // false: there is no such trace.
  virtual base::Result<bool> Update(const TraceContext& context, const std::string& id,
                                    const TraceChange& change) = 0;
  virtual base::Result<bool> Delete(const TraceContext& context, const std::string& id,
                                    const std::string& reason, const TraceWriter& writer) = 0;
  virtual base::Result<std::optional<TraceView>> Get(const TraceContext& context,
                                                     const std::string& id, bool even_deleted) = 0;
  // `content` empty: those of the sources, one a line. kInvalid: an id is not there, or they are of
  // two scopes; nothing changes then. Sources are deleted softly and keep their edges, which the
  // merged trace has too.
  virtual base::Result<TraceMerged> Merge(const TraceContext& context,
                                          const std::vector<std::string>& ids,
                                          const std::string& content, const api::Source& source,
                                          const TraceWriter& writer) = 0;
  // → the sources that are back; the merged trace is deleted. nullopt: there is no such trace.
  // kInvalid: it was not merged.
  virtual base::Result<std::optional<std::vector<std::string>>> Unmerge(
      const TraceContext& context, const std::string& id, const TraceWriter& writer) = 0;
  // false: one of both is not there. kFull: too many edges.
  virtual base::Result<bool> PutEdge(const TraceContext& context, const std::string& from,
                                     const TraceEdge& edge) = 0;
  virtual base::Result<bool> DeleteEdge(const TraceContext& context, const std::string& from,
                                        const std::string& to) = 0;
  // How near the nearest trace of the context is to this text, 0…1: by meaning, without vectors by
  // its words. Nothing is retrieved by that.
  virtual base::Result<double> Nearest(const TraceContext& context, const std::string& text) = 0;
  // The newest first; about 2,000 traces are looked at.
  virtual base::Result<std::vector<Trace>> Newest(const TraceContext& context, size_t limit) = 0;
  // Prospective traces whose time came in the last kDueDays, the latest first; about 2,000 of all
  // contexts are looked at.
  virtual base::Result<std::vector<Trace>> Due(const TraceContext& context, size_t limit) = 0;
  // What is found was retrieved: it is stronger from now on; a crash may forget that.
  virtual base::Result<FoundTraces> Search(const TraceContext& context,
                                           const TraceQuestion& question) = 0;

  // Behind the import of their observations; → for each whether it was taken: not a trace that is
  // here, nor one whose observation is not.
  virtual base::Result<std::vector<bool>> Import(const std::vector<ExportedTrace>& traces) = 0;
  // Behind all traces; an edge that is here stays as it is.
  virtual base::Result<std::vector<EdgeTaken>> Import(const std::vector<ExportedEdge>& edges) = 0;
  virtual base::Result<std::vector<EdgeTaken>> Import(const std::vector<NumberedEdge>& edges) = 0;
  // With their observations. A trace keeps its id, and its observation's number, where they are
  // free. The same trace, or with `dedup` the same content of the same kind, scope and scope id, is
  // skipped; nothing is overwritten.
  // Does not wait for the commit: the future does, when it is asked. Several at once are taken in
  // their order, and share a sync.
  virtual std::future<base::Result<std::vector<TraceTaken>>> Import(
      std::shared_ptr<const std::vector<WholeTrace>> traces, const ImportOptions& options) = 0;
};

}  // namespace memory
