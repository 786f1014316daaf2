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

// An edge with what names the observation at its end.
struct ExportedLink {
  TraceEdge edge;
  int64_t observation = 0;
  std::string type, title;
};

// An observation with what it said before, oldest first.
struct ExportedRow {
  api::Observation row;
  std::vector<Revision> revisions;
  // Of WalkNotes alone.
  std::optional<ExportedTrace> trace = {};
  std::vector<ExportedLink> links = {};
};

// What became of a row of an import, and the number of the observation that has it now.
struct Imported {
  enum Outcome {
    kNew,
    kSkipped,
    kSkippedDeleted,
    kRaised,  // it was here, of class import, and is a user's now
  };
  Outcome outcome = kNew;
  int64_t observation = 0;  // 0: of a session, or none has it
};

// What became of a whole trace, and the id that it has here.
struct TraceTaken {
  Imported::Outcome outcome = Imported::kSkipped;
  std::string id;
};

struct ImportOptions {
  bool dedup = true;        // a row that is here under another id is skipped, not made again
  bool unite_tags = false;  // a row that is here already gets the tags of the one that comes
  bool vouched = false;     // rows of class import are a user's, also those that are here already
  bool restore = false;     // what somebody deleted here comes back; else kSkippedDeleted
  // When rows without a time are from. Such a row is the same as one that differs in its time
  // alone.
  int64_t now_ms = 0;
};

// Walks over the rows of a store once, in many short snapshots. May outlive its Store.
class ExportCursor {
 public:
  virtual ~ExportCursor() = default;
  // Sessions, then observations, in the order they were made; an error of a callback ends the walk.
  // Of a row's earlier texts those beyond 8 MiB are left out, oldest first.
  virtual base::Status Walk(
      const std::function<base::Status(const api::Session&)>& on_session,
      const std::function<base::Status(const ExportedRow&)>& on_observation) = 0;
  // The same with the trace of each row and at most kMaxTraceEdges of its edges, the heaviest, to
  // rows of the walk.
  virtual base::Status WalkNotes(
      const std::function<base::Status(const api::Session&)>& on_session,
      const std::function<base::Status(const ExportedRow&)>& on_observation) = 0;
  // The same over the items that are not over; of a file from elsewhere over all.
  virtual base::Status WalkItems(
      const std::function<base::Status(const ExportedItem&)>& on_item) = 0;
  // The same over the episodes, whose observations Walk has.
  virtual base::Status WalkEpisodes(
      const std::function<base::Status(const Episode&)>& on_episode) = 0;
  // The same over the traces, and over the edges between live ones.
  virtual base::Status WalkTraces(
      const std::function<base::Status(const ExportedTrace&)>& on_trace) = 0;
  virtual base::Status WalkEdges(
      const std::function<base::Status(const ExportedEdge&)>& on_edge) = 0;
  // The same over all observations as traces; with their vectors if they are asked for.
  virtual base::Status WalkWholeTraces(
      bool vectors, const std::function<base::Status(const WholeTrace&)>& on_trace) = 0;
  // The same over the runs of consolidation, the oldest first.
  virtual base::Status WalkRuns(
      const std::function<base::Status(const ConsolidationRun&)>& on_run) = 0;
};

// A row of an AgentOS brain, by the names of its columns, for one of the arrays of AgentOS' JSON;
// an error: what cannot be handed on.
using OnBrainRow =
    std::function<base::Status(const std::string& array, base::Result<base::Json> row)>;

class BrainCursor {
 public:
  virtual ~BrainCursor() = default;
  // Traces, edges, conversations, messages. An error of the callback ends the walk.
  virtual base::Status Walk(const OnBrainRow& on_row) = 0;
};

}  // namespace memory
