// The table `traces`: the fields of a trace other than those of its observation. Everything runs in
// the caller's transaction.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/sql/database.h"
#include "memory/sqlite/tables/rows.h"
#include "memory/store/traces.h"

namespace memory {

// An observation as a trace, live or not. One without a row in `traces` has an id made of its
// number, and the kind and scope of KindOf and ScopeOf.
struct TraceRow {
  int64_t slot = 0;
  bool live = false;
  bool stored = false;  // it has a row in `traces`
  api::Observation row;
  std::string id, scope, scope_id;
  Strength strength;
  std::optional<int64_t> remind_ms, deleted_ms;
  std::string reason, merged_into;
  base::Json emotions = base::Json::object(), metadata = base::Json::object();
};

// The kind of a trace is the type of its observation. Of other types, tool results and episodes are
// episodic, patterns and procedures procedural, the rest semantic.
std::string KindOf(const api::Observation& row);

// Whether `context` may see the trace: its own, those of the organization, and observations of the
// project.
bool IsVisible(const TraceRow& row, const TraceContext& context);
// The bytes that it counts for in an answer.
size_t WeightOf(const TraceRow& row);
Trace TraceOf(const TraceRow& row, int64_t now_ms, const StrengthRules& rules);

base::Result<std::optional<TraceRow>> ReadTrace(sql::Database& database, int64_t slot);
// The same for an uploaded file, to which no rules of retention apply: `live` is not set.
base::Result<std::optional<TraceRow>> ReadTraceOfFile(sql::Database& database, int64_t slot);
base::Result<std::optional<TraceRow>> FindTrace(sql::Database& database, const std::string& id);
// The slot of a trace, without reading its row.
base::Result<std::optional<Place>> FindTracePlace(sql::Database& database, const std::string& id);
// The live trace with this content, whose normalized hash is `hash`, kind, scope and scope id.
base::Result<std::optional<TraceRow>> FindDuplicateTrace(sql::Database& database,
                                                         const NewTrace& trace,
                                                         const std::string& hash,
                                                         const TraceContext& context);
base::Result<std::vector<TraceRow>> ReadSources(sql::Database& database, const std::string& merged);

// Writes the row of `traces` of an existing observation.
base::Status PutTrace(sql::Database& database, const TraceRow& row);
// The new trace's observation, without its session, and the row beside it, without its slot.
api::NewObservation ObservationOf(const NewTrace& trace, const std::string& project);
TraceRow RowOf(const NewTrace& trace, const TraceContext& context, int64_t now_ms);

}  // namespace memory
