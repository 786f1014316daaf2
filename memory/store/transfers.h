// Arguments and results of imports and exports.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/api/memory_api.h"
#include "lib/base/result.h"
#include "memory/store/episodes.h"
#include "memory/store/exported_traces.h"
#include "memory/store/items.h"
#include "memory/store/reads.h"

namespace memory {

struct ConsolidationRun;

// An edge with the identification of the observation at its end.
struct ExportedLink {
  TraceEdge edge;
  int64_t observation = 0;
  std::string type, title;
};

// An observation with its earlier versions, oldest first.
struct ExportedRow {
  api::Observation row;
  std::vector<Revision> revisions;
  // Set by WalkNotes, and for an import of a row that becomes a trace too when it is new: of that
  // only scope, scope_id, strength and metadata count.
  std::optional<ExportedTrace> trace = {};
  std::vector<ExportedLink> links = {};
};

// The outcome for a row of an import, and the number of its observation here.
struct Imported {
  enum Outcome {
    kNew,
    kSkipped,
    kSkippedDeleted,
    kRaised,  // it existed with class import, and has class user now
  };
  Outcome outcome = kNew;
  int64_t observation = 0;  // 0: a session, or not stored
};

// The outcome for a whole trace, and its id here.
struct TraceTaken {
  Imported::Outcome outcome = Imported::kSkipped;
  std::string id;
};

struct ImportOptions {
  bool dedup = true;        // skips a row that exists under another id
  bool unite_tags = false;  // adds the tags of imported rows to existing ones
  bool vouched = false;     // rows of class import get class user, also existing ones
  bool restore = false;     // restores rows that were deleted here; else kSkippedDeleted
  // Of the request. A row without a time equals only what it sees.
  std::optional<Viewer> viewer = {};
  // The time of rows without one. Such a row equals a row that differs only in its time.
  int64_t now_ms = 0;
};

// Walks over the rows of a store once, in many short snapshots. May outlive its Store.
class ExportCursor {
 public:
  virtual ~ExportCursor() = default;
  // Sessions, then observations, in the order of their creation; an error of a callback ends the
  // walk. Earlier versions of a row beyond 8 MiB are left out, oldest first.
  virtual base::Status Walk(
      const std::function<base::Status(const api::Session&)>& on_session,
      const std::function<base::Status(const ExportedRow&)>& on_observation) = 0;
  // The same with the trace of each row and its heaviest edges, at most kMaxTraceEdges, to rows of
  // the walk.
  virtual base::Status WalkNotes(
      const std::function<base::Status(const api::Session&)>& on_session,
      const std::function<base::Status(const ExportedRow&)>& on_observation) = 0;
  // The same over items: live ones of a store, all of an uploaded file.
  virtual base::Status WalkItems(
      const std::function<base::Status(const ExportedItem&)>& on_item) = 0;
  // The same over episodes; Walk has their observations.
  virtual base::Status WalkEpisodes(
      const std::function<base::Status(const Episode&)>& on_episode) = 0;
  // The same over traces, and over edges between live ones.
  virtual base::Status WalkTraces(
      const std::function<base::Status(const ExportedTrace&)>& on_trace) = 0;
  virtual base::Status WalkEdges(
      const std::function<base::Status(const ExportedEdge&)>& on_edge) = 0;
  // The same over all observations as traces; with vectors on request.
  virtual base::Status WalkWholeTraces(
      bool vectors, const std::function<base::Status(const WholeTrace&)>& on_trace) = 0;
  // The same over runs of consolidation, the oldest first.
  virtual base::Status WalkRuns(
      const std::function<base::Status(const ConsolidationRun&)>& on_run) = 0;
};

// A row of another program's SQLite file, with its columns as members, and its table; of an AgentOS
// brain the array of AgentOS' JSON. Or the error of a row that cannot be converted.
using OnBrainRow =
    std::function<base::Status(const std::string& array, base::Result<base::Json> row)>;

class BrainCursor {
 public:
  virtual ~BrainCursor() = default;
  // Traces, edges, conversations, messages; of claude-mem sdk_sessions first. An error of the
  // callback ends the walk.
  virtual base::Status Walk(const OnBrainRow& on_row) = 0;
  virtual bool of_claude_mem() const { return false; }
};

}  // namespace memory
