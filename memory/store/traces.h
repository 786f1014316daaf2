// Traces: observations with a kind of memory, a scope of their own, a strength that decays, and
// edges. What finds observations finds them; an observation that is none is read as one. No engine
// shows here.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "lib/api/memory_api.h"
#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "memory/model/strength.h"

namespace memory {

inline constexpr size_t kMaxTraceExtras = 16 << 10;  // bytes of JSON: emotions and metadata
inline constexpr size_t kMaxTracesMerged = 100;      // of one call
inline constexpr size_t kMaxTraceTags = 100;         // of a merged trace
inline constexpr size_t kMaxTraceEdges = 256;        // that leave a trace
inline constexpr size_t kMaxEdgeKind = 50;           // characters
inline constexpr size_t kMaxTracesFound = 100;       // of one question
inline constexpr size_t kMaxScopeId = 200;           // characters of a user, an agent
inline constexpr int64_t kDueDays = 30;              // that a reminder stays due
inline constexpr const char* kDefaultScopeId = "default";

inline constexpr const char* kThreadScope = "thread";
inline constexpr const char* kUserScope = "user";
inline constexpr const char* kPersonaScope = "persona";
inline constexpr const char* kOrganizationScope = "organization";
bool IsTraceScope(std::string_view word);

// Whose memory a call is about. A trace of another project or of another scope id is not there.
struct TraceContext {
  std::string project, conversation = kDefaultScopeId, user = kDefaultScopeId,
                       agent = kDefaultScopeId;
  std::string ScopeId(std::string_view scope) const;  // of the organization: its scope's name
};

struct NewTrace {
  std::string content, kind = kEpisodic, scope = kUserScope;
  std::vector<std::string> tags;
  std::optional<int64_t> remind_ms;
  base::Json emotions = base::Json::object(), metadata = base::Json::object();
  api::Source source;
};

struct TraceEdge {
  std::string to, kind = "related";
  double weight = 1;  // 0…1
};

struct Trace {
  std::string id, kind, scope, scope_id, content, project;
  double strength = 1;  // now
  std::vector<std::string> tags;
  base::Json emotions = base::Json::object(), metadata = base::Json::object();
  int64_t created_ms = 0, accessed_ms = 0, retrievals = 0;
  int64_t observation = 0, revisions = 1;
  std::optional<int64_t> remind_ms, deleted_ms;
  std::string reason;       // of its delete
  std::string merged_into;  // empty: none
  api::Source source;
};

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

// A trace as exports have it: without the text, which its observation has. `hash`, `digest`:
// api::NormalizedHash and SHA-256 of that text, by which an import finds the observation again.
struct ExportedTrace {
  std::string project, id, scope, scope_id, hash, digest;
  int64_t observation = 0;  // its id there
  Strength strength;        // as it is stored
  std::optional<int64_t> remind_ms;
  base::Json emotions = base::Json::object(), metadata = base::Json::object();
};

// With the digests of both texts: an id that is made of an observation's number is another here.
struct ExportedEdge {
  std::string from, from_digest, to_digest;
  TraceEdge edge;
};

// An edge between observations by their numbers here.
struct NumberedEdge {
  int64_t from = 0, to = 0;
  std::string kind;
  double weight = 1;
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
  // here, nor one whose observation is not. Edges come behind all traces; one that is here stays as
  // it is.
  virtual base::Result<std::vector<bool>> Import(const std::vector<ExportedTrace>& traces) = 0;
  virtual base::Result<std::vector<bool>> Import(const std::vector<ExportedEdge>& edges) = 0;
  virtual base::Result<std::vector<bool>> Import(const std::vector<NumberedEdge>& edges) = 0;
};

}  // namespace memory
