// Arguments and results of imports and exports.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/api/memory_api.h"
#include "lib/base/result.h"
#include "memory/keeping/items.h"
#include "memory/rows/imports.h"
#include "memory/store/episodes.h"
#include "memory/store/exported_traces.h"
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
  // Set by WalkObservations on request, and for an import of a row that becomes a trace too when it
  // is new: of that only scope, scope_id, strength and metadata count.
  std::optional<ExportedTrace> trace = {};
  std::vector<ExportedLink> links = {};
};

// The outcome for a whole trace, and its id here.
struct TraceTaken {
  Imported::Outcome outcome = Imported::kSkipped;
  std::string id;
};

template <class Row>
using OnRow = std::function<base::Status(const Row&)>;  // an error ends the walk

// Walks over the rows of a store, in many short snapshots: those that exist when the first walk
// begins, in the order of their creation. May outlive its Store.
class ExportCursor {
 public:
  virtual ~ExportCursor() = default;
  virtual base::Status WalkSessions(const OnRow<api::Session>& on_session) = 0;
  // `traces`: each row has its trace and its heaviest edges, at most kMaxTraceEdges, to rows of the
  // walk. Earlier versions of a row beyond 8 MiB are left out, oldest first.
  virtual base::Status WalkObservations(bool traces, const OnRow<ExportedRow>& on_row) = 0;
  // Live cells of a store, all of an uploaded file; of Agents those of the owners that the export
  // has. Their expiry is of the wall clock.
  virtual base::Status WalkCells(const CellKind& kind, const OnRow<Cell>& on_cell) = 0;
  // Without their observations.
  virtual base::Status WalkEpisodes(const OnRow<Episode>& on_episode) = 0;
  virtual base::Status WalkTraces(const OnRow<ExportedTrace>& on_trace) = 0;
  virtual base::Status WalkEdges(const OnRow<ExportedEdge>& on_edge) = 0;  // between live traces
  // All observations as traces; with vectors on request.
  virtual base::Status WalkWholeTraces(bool vectors, const OnRow<WholeTrace>& on_trace) = 0;
  // Runs of consolidation.
  virtual base::Status WalkRuns(const OnRow<ConsolidationRun>& on_run) = 0;
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
