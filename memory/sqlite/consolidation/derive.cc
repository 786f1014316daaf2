// The derive step: clusters the traces of a run and stores the insights of the model.
#include <unordered_map>

#include "lib/base/text/text.h"
#include "memory/model/clusters.h"
#include "memory/sqlite/consolidation/sketches.h"
#include "memory/sqlite/consolidation/sqlite_consolidation.h"
#include "memory/sqlite/traces/trace_edges.h"

namespace memory {

using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;

namespace {

constexpr size_t kMostClustered = 20'000;  // traces of a context, the newest: 8 MiB
constexpr size_t kMostLinked = 100'000;    // pairs of them, those of the newest: 4 MiB

// Edges among the traces of a run, by their kind.
struct ClusterEdges {
  std::vector<std::pair<size_t, size_t>> linked;
  std::vector<bool> covered;  // the trace is an insight or a source of one
};

// Of an insight: itself, or one of those that it was merged of.
Result<bool> IsSource(Database& database, int64_t slot) {
  ASSIGN_OR_RETURN(
      Statement insight,
      database.Prepare(
          "WITH RECURSIVE part(slot, uuid) AS (SELECT CAST(?1 AS BIGINT), (SELECT uuid FROM traces "
          "WHERE slot = ?1) UNION SELECT t.slot, t.uuid FROM part p JOIN traces t ON "
          "t.merged_into = p.uuid) SELECT 1 FROM part p JOIN trace_edges e ON "
          "e.to_slot = p.slot WHERE e.kind = ?2 LIMIT 1"));
  return insight.Bind(slot).Bind(kDerivedFrom).Step();
}

Result<ClusterEdges> ReadClusterEdges(Database& database, const std::vector<TraceSketch>& traces) {
  std::unordered_map<int64_t, size_t> places;
  for (size_t i = 0; i < traces.size(); ++i) places[traces[i].slot] = i;
  ClusterEdges read;
  read.covered.resize(traces.size());
  for (size_t i = 0; i < traces.size(); ++i) {
    ASSIGN_OR_RETURN(const auto edges, EdgesFrom(database, traces[i].slot));
    for (const EdgeRow& edge : edges) {
      const auto to = places.find(edge.to);
      if (edge.kind == kDerivedFrom) read.covered[i] = true;
      if (edge.kind == kCoactivated && to != places.end() && read.linked.size() < kMostLinked)
        read.linked.emplace_back(i, to->second);
    }
    ASSIGN_OR_RETURN(const bool source, IsSource(database, traces[i].slot));
    if (source) read.covered[i] = true;
  }
  return read;
}

struct DeriveRequest {
  DeriveWork work;
  std::string writer;
};

// The first of the owner after `last`, so that none waits for all runs of another.
Result<std::optional<DeriveRequest>> ReadRequest(Database& database, std::string& last) {
  ASSIGN_OR_RETURN(Statement next,
                   database.Prepare("SELECT number, run, request, context FROM consolidation_log "
                                    "WHERE derive = 'pending' ORDER BY context <= ?1, context, "
                                    "number LIMIT 1"));
  ASSIGN_OR_RETURN(const bool there, next.Bind(last).Step());
  if (!there) return std::optional<DeriveRequest>();
  DeriveRequest request;
  request.work.number = next.Int(0);
  request.work.run = next.Text(1);
  last = next.Text(3);
  ASSIGN_OR_RETURN(request.writer, DecodeDeriveRequest(next.Text(2), request.work.context));
  return std::optional(std::move(request));
}

Result<std::vector<ClusteredTrace>> ReadCluster(Database& database,
                                                const std::vector<TraceSketch>& traces,
                                                const std::vector<size_t>& members) {
  std::vector<ClusteredTrace> cluster;
  for (const size_t member : members) {
    ASSIGN_OR_RETURN(const auto row, ReadTrace(database, traces[member].slot));
    if (row) cluster.push_back({row->id, row->row.content});
  }
  return cluster;
}

}  // namespace

Result<std::optional<DeriveWork>> SqliteConsolidation::NextToDerive() {
  using Work = std::optional<DeriveWork>;
  int64_t waiting = pending_;
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::BeginUnhurried(parts_.readers));
  ASSIGN_OR_RETURN(auto request, ReadRequest(snapshot.database(), last_derived_));
  if (!request) {
    pending_.compare_exchange_strong(waiting, 0);  // the log dropped old pending runs
    return Work();
  }
  const size_t dimensions = parts_.embedder ? parts_.embedder->dimensions() : 0;
  ASSIGN_OR_RETURN(const Sketches read,
                   ReadSketches(snapshot.database(), request->work.context, request->writer,
                                parts_.embedder ? parts_.embedder->model() : 0, dimensions,
                                SketchOrder::kNewestFirst, kMostClustered));
  ASSIGN_OR_RETURN(ClusterEdges edges, ReadClusterEdges(snapshot.database(), read.traces));
  for (const auto& members : FindClusters(read.traces, read.vectors, dimensions, edges.linked,
                                          std::move(edges.covered), ClusterRules())) {
    ASSIGN_OR_RETURN(auto cluster, ReadCluster(snapshot.database(), read.traces, members));
    request->work.clusters.push_back(std::move(cluster));
  }
  return Work(std::move(request->work));
}

// False: a trace of the cluster changed since the model saw it, or the insight exists already.
Result<bool> SqliteConsolidation::PutInsight(Database& database, const DeriveWork& work,
                                             const DerivedInsight& insight, int64_t now_ms) {
  NewTrace trace;
  trace.content = insight.content;
  trace.kind = kSemantic;
  trace.tags = {kInsightTag};
  trace.metadata = {{"importance", insight.importance}, {"derivedBy", work.run}};
  trace.source = {"memory_reflect", "", "", api::kOriginAgent};
  std::vector<int64_t> slots;
  for (const ClusteredTrace& shown : work.clusters[insight.cluster]) {
    ASSIGN_OR_RETURN(const auto row, FindTrace(database, shown.id));
    const bool same =
        row && row->live && IsVisible(*row, work.context) && row->row.content == shown.content;
    if (!same) return false;
    trace.source.origin = api::LowerOrigin(trace.source.origin, row->row.source.origin);
    trace.scope = row->scope;
    slots.push_back(row->slot);
  }
  Saving saving = SavingOf(trace, work.context, parts_.writing, now_ms);
  ASSIGN_OR_RETURN(const auto duplicate,
                   FindDuplicateTrace(database, trace, saving.asked.hash, work.context));
  if (duplicate) return false;
  ASSIGN_OR_RETURN(const TraceRow row, InsertTrace(database, work.context, trace, saving));
  for (const size_t source : insight.sources)
    RETURN_IF_ERROR(PutTraceEdge(database, row.slot, {slots[source], kDerivedFrom, 1}));
  RETURN_IF_ERROR(
      NoteAction(database, work.number,
                 {"derive", row.slot, 1, {}, static_cast<double>(insight.sources.size())}));
  return true;
}

Status SqliteConsolidation::Derived(const DeriveWork& work, const DerivedInsights& derived) {
  if (!derived.insights.empty()) RETURN_IF_ERROR(parts_.admit());
  bool waited = false;
  RETURN_IF_ERROR(parts_.writer.RunAny([&](Database& database) -> Status {
    ASSIGN_OR_RETURN(auto logged, FindRun(database, work.context, work.run));
    waited = logged && logged->run.derive == kDerivePending;
    if (!waited) return {};
    const bool undone = logged->run.undone_ms.has_value();
    for (size_t i = 0; !undone && i < derived.insights.size(); ++i) {
      ASSIGN_OR_RETURN(const bool put, PutInsight(database, work, derived.insights[i], NowMs()));
      logged->run.counts.derived += put;
    }
    logged->run.derive = undone ? "skipped, the run was undone" : derived.outcome;
    return EndRun(database, work.number, logged->run);
  }));
  if (waited) --pending_;
  return {};
}

}  // namespace memory
