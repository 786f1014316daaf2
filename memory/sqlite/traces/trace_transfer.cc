// Reads traces for exports and links them for imports.
#include "memory/sqlite/traces/trace_transfer.h"

#include <algorithm>

#include "lib/base/process/log.h"
#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"
#include "memory/sqlite/tables/live.h"
#include "memory/sqlite/tables/rows.h"
#include "memory/sqlite/tables/viewer.h"
#include "memory/sqlite/traces/archive.h"
#include "memory/sqlite/traces/trace_edges.h"
#include "memory/sqlite/traces/trace_rows.h"

namespace memory {

using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;

namespace {

constexpr int64_t kSlotsAtOnce = 64;

// The next slots after `after` by one of the statements below.
Result<std::vector<int64_t>> NextSlots(Database& database, const char* sql,
                                       const TraceReading& reading, int64_t after) {
  ASSIGN_OR_RETURN(Statement read, database.Prepare(sql));
  read.Bind(after).Bind(reading.project).Bind(kSlotsAtOnce);
  if (reading.live_only) BindViewer(read, reading.viewer);
  std::vector<int64_t> slots;
  RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) { slots.push_back(row.Int(0)); }));
  return slots;
}

#define MEMORY_NEXT "AND (CAST(?2 AS BIGINT) IS NULL OR o.project = ?2) ORDER BY o.slot LIMIT ?3"
#define MEMORY_NEXT_SEEN MEMORY_SEEN_BY("?4", "?5", "?6") MEMORY_NEXT
constexpr const char* kLiveTraces =
    "SELECT o.slot FROM traces h JOIN observations o ON o.slot = h.slot WHERE h.slot > ?1 "
    "AND " MEMORY_LIVE MEMORY_NEXT_SEEN;
constexpr const char* kForeignTraces =
    "SELECT o.slot FROM traces t JOIN observations o ON o.slot = t.slot WHERE t.slot > ?1 AND "
    "o.deleted_ms IS NULL " MEMORY_NEXT;
constexpr const char* kLiveEdges =
    "SELECT o.slot FROM observations o WHERE o.slot > ?1 AND EXISTS (SELECT 1 FROM trace_edges e "
    "WHERE e.from_slot = o.slot) AND " MEMORY_LIVE MEMORY_NEXT_SEEN;
constexpr const char* kLiveRows =
    "SELECT o.slot FROM observations o WHERE o.slot > ?1 AND " MEMORY_LIVE MEMORY_NEXT_SEEN;
constexpr const char* kForeignEdges =
    "SELECT o.slot FROM observations o WHERE o.slot > ?1 AND EXISTS (SELECT 1 FROM trace_edges e "
    "WHERE e.from_slot = o.slot) AND o.deleted_ms IS NULL " MEMORY_NEXT;

// Leaves out a corrupt original, which no other call returns either.
Result<std::optional<ArchivedText>> OriginalOf(Database& database, int64_t slot) {
  auto found = FindArchived(database, slot);
  if (!found && found.error().code == base::Code::kInternal) {
    base::LogError("an archived text is damaged", {{"reason", found.error().message}});
    return std::optional<ArchivedText>();
  }
  if (!found) return found.error();
  if (!*found) return std::optional<ArchivedText>();
  return std::optional(ArchivedText{std::move((*found)->text), (*found)->archived_ms});
}

// The vector of the local model, else that of the remote model.
Status ReadVector(Database& database, int64_t slot, WholeTrace& whole) {
  for (const char* sql : {"SELECT model, vector FROM vectors WHERE slot = ?1",
                          "SELECT model, vector FROM remote_vectors WHERE slot = ?1"}) {
    ASSIGN_OR_RETURN(Statement read, database.Prepare(sql));
    ASSIGN_OR_RETURN(const bool there, read.Bind(slot).Step());
    if (there) {
      const std::string bytes = read.Text(1);
      whole.model = read.Int(0);
      whole.vector.assign(bytes.begin(), bytes.end());
    }
    if (!whole.vector.empty()) return {};
    whole.remote = true;
  }
  return {};
}

ExportedTrace ExportedOf(const TraceRow& row) {
  ExportedTrace trace;
  trace.project = row.row.project;
  trace.id = row.id;
  trace.scope = row.scope;
  trace.scope_id = row.scope_id;
  trace.hash = api::NormalizedHash(row.row.content);
  trace.digest = base::Sha256Hex(row.row.content);
  trace.observation = row.row.id;
  trace.strength = row.strength;
  trace.remind_ms = row.remind_ms;
  trace.emotions = row.emotions;
  trace.metadata = row.metadata;
  return trace;
}

Result<bool> IsSeen(Database& database, const TraceReading& reading, int64_t slot) {
  if (!reading.viewer) return true;
  return IsSeenBy(database, *reading.viewer, slot);
}

Result<std::vector<ExportedEdge>> EdgesOf(Database& database, const TraceRow& from,
                                          const TraceReading& reading) {
  std::vector<ExportedEdge> exported;
  ASSIGN_OR_RETURN(const auto edges, EdgesFrom(database, from.slot));
  for (const EdgeRow& edge : edges) {
    ASSIGN_OR_RETURN(const auto to, ReadTraceOfFile(database, edge.to));
    if (!to || to->deleted_ms || (reading.project && to->row.project != from.row.project)) continue;
    ASSIGN_OR_RETURN(const bool seen, IsSeen(database, reading, edge.to));
    if (!seen) continue;
    exported.push_back({from.id,
                        base::Sha256Hex(from.row.content),
                        base::Sha256Hex(to->row.content),
                        {to->id, edge.kind, edge.weight}});
  }
  return exported;
}

// A live observation with this text and without a trace; or the observation of the given trace,
// which may have another number here.
Result<std::optional<int64_t>> FreeSlot(Database& database, const ExportedTrace& trace) {
  ASSIGN_OR_RETURN(const auto project, FindProject(database, trace.project));
  if (!project) return std::optional<int64_t>();
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare("SELECT o.slot, o.content FROM observations o WHERE o.hash = ?1 AND "
                       "o.project = ?2 AND " MEMORY_LIVE
                       "AND NOT EXISTS (SELECT 1 FROM traces t WHERE t.slot = o.slot) "
                       "ORDER BY o.id <> ?3, o.slot LIMIT 100"));
  read.Bind(trace.hash).Bind(*project).Bind(trace.observation);
  std::optional<int64_t> slot;
  RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) {
    if (base::Sha256Hex(row.Text(1)) == trace.digest) slot = row.Int(0);
    return !slot;
  }));
  return slot;
}

// The slot of a live trace; with a digest only if its text matches it.
Result<std::optional<int64_t>> EndOfEdge(Database& database, const std::string& id,
                                         const std::string& digest) {
  ASSIGN_OR_RETURN(const auto place, FindTracePlace(database, id));
  if (!place || !place->live) return std::optional<int64_t>();
  if (digest.empty()) return std::optional(place->slot);
  ASSIGN_OR_RETURN(const api::Observation row, ReadRow(database, place->slot));
  return base::Sha256Hex(row.content) == digest ? std::optional(place->slot) : std::nullopt;
}

}  // namespace

Result<bool> ReadExportedTraces(Database& database, const TraceReading& reading, int64_t after,
                                const std::function<bool(int64_t, ExportedTrace&&)>& take) {
  ASSIGN_OR_RETURN(
      const auto slots,
      NextSlots(database, reading.live_only ? kLiveTraces : kForeignTraces, reading, after));
  const bool originals = HasTable(database, "trace_originals");
  for (int64_t slot : slots) {
    ASSIGN_OR_RETURN(const auto row, ReadTraceOfFile(database, slot));
    if (!row) continue;
    ExportedTrace trace = ExportedOf(*row);
    if (originals) {
      ASSIGN_OR_RETURN(trace.original, OriginalOf(database, slot));
    }
    if (!take(slot, std::move(trace))) return false;
  }
  return slots.empty();
}

Result<bool> ReadWholeTraces(Database& database, const TraceReading& reading, int64_t after,
                             const std::function<bool(int64_t, WholeTrace&&)>& take) {
  ASSIGN_OR_RETURN(const auto slots, NextSlots(database, kLiveRows, reading, after));
  for (int64_t slot : slots) {
    ASSIGN_OR_RETURN(const auto row, ReadTraceOfFile(database, slot));
    if (!row) continue;
    WholeTrace whole;
    whole.trace = TraceOf(*row, reading.now_ms, reading.rules);
    whole.type = row->row.type;
    whole.title = row->row.title;
    whole.stored_strength = row->strength.value;
    ASSIGN_OR_RETURN(whole.original, OriginalOf(database, slot));
    if (reading.vectors) RETURN_IF_ERROR(ReadVector(database, slot, whole));
    if (!take(slot, std::move(whole))) return false;
  }
  return slots.empty();
}

Result<bool> ReadExportedEdges(
    Database& database, const TraceReading& reading, int64_t after,
    const std::function<bool(int64_t, std::vector<ExportedEdge>&&)>& take) {
  ASSIGN_OR_RETURN(
      const auto slots,
      NextSlots(database, reading.live_only ? kLiveEdges : kForeignEdges, reading, after));
  for (int64_t slot : slots) {
    ASSIGN_OR_RETURN(const auto row, ReadTraceOfFile(database, slot));
    if (!row) continue;
    ASSIGN_OR_RETURN(auto edges, EdgesOf(database, *row, reading));
    if (!take(slot, std::move(edges))) return false;
  }
  return slots.empty();
}

Status ReadTraceOfRow(Database& database, const TraceReading& reading, int64_t last,
                      ExportedRow& row) {
  ASSIGN_OR_RETURN(
      Statement beside,
      database.Prepare("SELECT o.slot, EXISTS (SELECT 1 FROM traces t WHERE t.slot = o.slot), "
                       "EXISTS (SELECT 1 FROM trace_edges e WHERE e.from_slot = o.slot) "
                       "FROM observations o WHERE o.id = ?1"));
  ASSIGN_OR_RETURN(const bool there, beside.Bind(row.row.id).Step());
  if (!there) return {};
  const int64_t slot = beside.Int(0);
  if (beside.Int(1)) {
    ASSIGN_OR_RETURN(const auto trace, ReadTraceOfFile(database, slot));
    if (trace) row.trace = ExportedOf(*trace);
  }
  if (!beside.Int(2)) return {};
  ASSIGN_OR_RETURN(const auto edges, EdgesFrom(database, slot));
  for (const EdgeRow& edge : edges) {
    if (row.links.size() >= kMaxTraceEdges) break;  // the limit of an import
    ASSIGN_OR_RETURN(const auto to, ReadTrace(database, edge.to));
    if (!to || !to->live || to->row.id > last) continue;
    if (reading.project && to->row.project != row.row.project) continue;
    ASSIGN_OR_RETURN(const bool seen, IsSeen(database, reading, edge.to));
    if (!seen) continue;
    row.links.push_back(
        {{to->id, edge.kind, edge.weight}, to->row.id, to->row.type, to->row.title});
  }
  return {};
}

Result<bool> ImportTrace(Database& database, const ExportedTrace& trace) {
  ASSIGN_OR_RETURN(Statement known, database.Prepare("SELECT 1 FROM traces WHERE uuid = ?1"));
  ASSIGN_OR_RETURN(const bool there, known.Bind(trace.id).Step());
  if (there) return false;
  ASSIGN_OR_RETURN(const auto slot, FreeSlot(database, trace));
  if (!slot) return false;
  ASSIGN_OR_RETURN(const api::Observation observation, ReadRow(database, *slot));
  const auto number = NumberInTraceId(trace.id);
  TraceRow row;
  row.slot = *slot;
  // An id made of a number names one observation.
  row.id = number && *number != observation.id ? OtherTraceId(trace.id, trace.digest) : trace.id;
  row.scope = trace.scope;
  row.scope_id = trace.scope_id;
  row.strength = trace.strength;
  row.remind_ms = trace.remind_ms;
  row.emotions = trace.emotions;
  row.metadata = trace.metadata;
  RETURN_IF_ERROR(PutTrace(database, row));
  if (!trace.original) return true;
  RETURN_IF_ERROR(Archive(database, *slot, observation.revision_count, trace.original->content,
                          trace.original->archived_ms));
  return true;
}

Result<EdgeTaken> ImportEdge(Database& database, const ExportedEdge& edge) {
  ASSIGN_OR_RETURN(const auto from, EndOfEdge(database, edge.from, edge.from_digest));
  ASSIGN_OR_RETURN(const auto to, EndOfEdge(database, edge.edge.to, edge.to_digest));
  if (!from || !to || *from == *to) return EdgeTaken::kNoTrace;
  return AddTraceEdge(database, *from, {*to, edge.edge.kind, edge.edge.weight});
}

Result<EdgeTaken> ImportNumberedEdge(Database& database, const NumberedEdge& edge) {
  ASSIGN_OR_RETURN(const auto from, FindRow(database, edge.from));
  ASSIGN_OR_RETURN(const auto to, FindRow(database, edge.to));
  if (!from || !to || !from->live || !to->live || from->slot == to->slot)
    return EdgeTaken::kNoTrace;
  return AddTraceEdge(database, from->slot, {to->slot, edge.kind, edge.weight});
}

}  // namespace memory
