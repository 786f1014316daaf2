// Statements over traces and their observations.
#include "memory/sqlite/traces/trace_rows.h"

#include <algorithm>
#include <array>

#include "lib/base/json/stored.h"
#include "lib/base/process/random.h"
#include "lib/base/text/text.h"
#include "memory/model/slots.h"
#include "memory/sqlite/tables/live.h"
#include "memory/store/answer_limit.h"

namespace memory {

using base::Json;
using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;

namespace {

constexpr size_t kTraceTitle = 120;  // characters

const char* ScopeOf(const api::Observation& row) {
  return row.scope == "global" ? kOrganizationScope : kPersonaScope;
}

Status ReadBeside(Database& database, TraceRow& trace) {
  ASSIGN_OR_RETURN(
      Statement read,
      database.Prepare("SELECT uuid, scope, scope_id, strength, accessed_ms, retrievals, "
                       "remind_ms, reason, merged_into, extras FROM traces WHERE slot = ?1"));
  ASSIGN_OR_RETURN(trace.stored, read.Bind(trace.slot).Step());
  if (!trace.stored) {
    trace.id = NumberedTraceId(trace.row.id);
    trace.scope = ScopeOf(trace.row);
    trace.scope_id = trace.scope == kPersonaScope ? trace.row.project : kOrganizationScope;
    trace.strength.accessed_ms = std::max(trace.row.updated_ms, trace.row.last_seen_ms);
    trace.strength.retrievals = trace.row.duplicate_count;
    return {};
  }
  trace.id = read.Text(0);
  trace.scope = read.Text(1);
  trace.scope_id = read.Text(2);
  trace.strength = {read.Real(3), read.Int(4), read.Int(5)};
  if (!read.IsNull(6)) trace.remind_ms = read.Int(6);
  trace.reason = read.Text(7);
  trace.merged_into = read.OptionalText(8).value_or("");
  ASSIGN_OR_RETURN(const Json extras, base::ParseJson(read.Text(9)));
  trace.emotions = extras.value("emotions", Json::object());
  trace.metadata = extras.value("metadata", Json::object());
  return {};
}

}  // namespace

std::string KindOf(const api::Observation& row) {
  if (IsTraceKind(row.type)) return row.type;
  constexpr std::array kHow = {"pattern", "procedure", "how-to", "command"};
  if (std::find(kHow.begin(), kHow.end(), row.type) != kHow.end()) return kProcedural;
  return row.type == "episode" || !row.source.tool.empty() ? kEpisodic : kSemantic;
}

bool IsVisible(const TraceRow& row, const TraceContext& context) {
  if (row.row.scope == "global") return true;
  if (base::FoldCase(row.row.project) != base::FoldCase(context.project)) return false;
  // Observations written as such belong to everybody in their project.
  return NumberInTraceId(row.id) || row.scope_id == context.ScopeId(row.scope);
}

size_t WeightOf(const TraceRow& row) {
  return AnswerBytes(row.row) + base::WeightOf(row.emotions) + base::WeightOf(row.metadata);
}

Trace TraceOf(const TraceRow& row, int64_t now_ms, const StrengthRules& rules) {
  Trace trace;
  trace.id = row.id;
  trace.kind = KindOf(row.row);
  trace.scope = row.scope;
  trace.scope_id = row.scope_id;
  trace.content = row.row.content;
  trace.project = row.row.project;
  trace.strength = StrengthAt(row.strength, trace.kind, row.remind_ms, now_ms, rules);
  trace.tags = row.row.tags;
  trace.emotions = row.emotions;
  trace.metadata = row.metadata;
  trace.created_ms = row.row.created_ms;
  trace.accessed_ms = row.strength.accessed_ms;
  trace.retrievals = row.strength.retrievals;
  trace.observation = row.row.id;
  trace.revisions = row.row.revision_count;
  trace.remind_ms = row.remind_ms;
  trace.deleted_ms = row.deleted_ms;
  trace.reason = row.reason;
  trace.merged_into = row.merged_into;
  trace.source = row.row.source;
  return trace;
}

Result<std::optional<TraceRow>> ReadTraceOfFile(Database& database, int64_t slot) {
  ASSIGN_OR_RETURN(auto row, FindObservation(database, slot));
  if (!row) return std::optional<TraceRow>();
  TraceRow trace;
  trace.slot = slot;
  trace.row = std::move(*row);
  ASSIGN_OR_RETURN(Statement deleted,
                   database.Prepare("SELECT deleted_ms FROM observations WHERE slot = ?1"));
  ASSIGN_OR_RETURN(const bool there, deleted.Bind(slot).Step());
  if (there && !deleted.IsNull(0)) trace.deleted_ms = deleted.Int(0);
  RETURN_IF_ERROR(ReadBeside(database, trace));
  return std::optional(std::move(trace));
}

Result<std::optional<TraceRow>> ReadTrace(Database& database, int64_t slot) {
  ASSIGN_OR_RETURN(auto trace, ReadTraceOfFile(database, slot));
  if (!trace) return trace;
  ASSIGN_OR_RETURN(const auto place, FindRow(database, trace->row.id));
  trace->live = place && place->live;
  return trace;
}

namespace {

// An observation without a row in `traces`.
Result<std::optional<TraceRow>> FindNumbered(Database& database, const std::string& id) {
  const std::optional<int64_t> number = NumberInTraceId(id);
  if (!number) return std::optional<TraceRow>();
  ASSIGN_OR_RETURN(const auto place, FindRow(database, *number));
  if (!place) return std::optional<TraceRow>();
  ASSIGN_OR_RETURN(auto trace, ReadTrace(database, place->slot));
  // A trace has one id.
  return trace && trace->id == id ? std::move(trace) : std::optional<TraceRow>();
}

}  // namespace

Result<std::optional<Place>> FindTracePlace(Database& database, const std::string& id) {
  ASSIGN_OR_RETURN(Statement find,
                   database.Prepare("SELECT o.slot, " MEMORY_LIVE
                                    " FROM traces t JOIN observations o ON o.slot = t.slot "
                                    "WHERE t.uuid = ?1"));
  ASSIGN_OR_RETURN(const auto place, find.Bind(id).ReadFirst([](const Statement& row) {
    return Place{row.Int(0), row.Int(1) != 0};
  }));
  if (place) return place;
  ASSIGN_OR_RETURN(const auto trace, FindNumbered(database, id));
  return trace ? std::optional(Place{trace->slot, trace->live}) : std::nullopt;
}

Result<std::optional<TraceRow>> FindTrace(Database& database, const std::string& id) {
  if (!id.starts_with(kTraceIdPrefix)) return std::optional<TraceRow>();
  ASSIGN_OR_RETURN(Statement find, database.Prepare("SELECT slot FROM traces WHERE uuid = ?1"));
  ASSIGN_OR_RETURN(const auto slot, find.Bind(id).ReadFirst(IntAt));
  return slot ? ReadTrace(database, *slot) : FindNumbered(database, id);
}

Result<std::optional<TraceRow>> FindDuplicateTrace(Database& database, const NewTrace& trace,
                                                   const std::string& hash,
                                                   const TraceContext& context) {
  ASSIGN_OR_RETURN(const auto project, FindProject(database, context.project));
  const bool organization = trace.scope == kOrganizationScope;
  if (!project && !organization) return std::optional<TraceRow>();
  const int64_t range = organization ? kGlobalRange : *project;
  ASSIGN_OR_RETURN(
      Statement find,
      database.Prepare(
          "SELECT t.slot FROM traces t CROSS JOIN observations o WHERE o.slot = t.slot AND t.text "
          "= "
          "substr(?1, 1, 16) AND t.scope = ?6 AND t.scope_id = ?7 AND t.slot BETWEEN ?2 AND ?3 AND "
          "o.hash = ?1 AND o.scope = ?4 AND o.type = ?5 AND o.content = ?8 AND " MEMORY_LIVE
          "ORDER BY t.slot LIMIT 1"));
  find.Bind(hash).Bind(range << kRangeBits).Bind(((range + 1) << kRangeBits) - 1);
  find.Bind(organization ? "global" : "project").Bind(trace.kind);
  find.Bind(trace.scope).Bind(context.ScopeId(trace.scope)).Bind(trace.content);
  ASSIGN_OR_RETURN(const auto slot, find.ReadFirst(IntAt));
  return slot ? ReadTrace(database, *slot) : std::optional<TraceRow>();
}

Result<std::vector<TraceRow>> ReadSources(Database& database, const std::string& merged) {
  ASSIGN_OR_RETURN(
      Statement find,
      database.Prepare("SELECT slot FROM traces WHERE merged_into = ?1 ORDER BY slot"));
  find.Bind(merged);
  std::vector<int64_t> slots;
  RETURN_IF_ERROR(find.ForEachRow([&](const Statement& row) { slots.push_back(row.Int(0)); }));
  std::vector<TraceRow> sources;
  for (int64_t slot : slots) {
    ASSIGN_OR_RETURN(auto source, ReadTrace(database, slot));
    if (source) sources.push_back(std::move(*source));
  }
  return sources;
}

// Not INSERT OR REPLACE: its end costs time in all earlier changes of the transaction, and it would
// delete another trace with the uuid.
Status PutTrace(Database& database, const TraceRow& row) {
  ASSIGN_OR_RETURN(
      Statement put,
      database.Prepare(
          "INSERT INTO traces(slot, uuid, scope, scope_id, strength, accessed_ms, retrievals, "
          "remind_ms, reason, merged_into, extras, text) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, "
          "?9, ?10, ?11, coalesce((SELECT substr(o.hash, 1, 16) FROM observations o WHERE o.slot = "
          "?1), '')) ON CONFLICT(slot) DO UPDATE SET uuid = ?2, scope = ?3, scope_id = ?4, "
          "strength = "
          "?5, accessed_ms = ?6, retrievals = ?7, remind_ms = ?8, reason = ?9, merged_into = ?10, "
          "extras = ?11"));
  put.Bind(row.slot).Bind(row.id).Bind(row.scope).Bind(row.scope_id);
  put.Bind(row.strength.value).Bind(row.strength.accessed_ms).Bind(row.strength.retrievals);
  put.Bind(row.remind_ms).Bind(row.reason);
  put.Bind(row.merged_into.empty() ? std::nullopt : std::optional(row.merged_into));
  put.Bind(base::DumpJson({{"emotions", row.emotions}, {"metadata", row.metadata}}));
  return put.Run();
}

api::NewObservation ObservationOf(const NewTrace& trace, const std::string& project) {
  api::NewObservation made;
  made.type = trace.kind;
  const std::string_view text = base::Trim(trace.content);
  made.title = base::Ellipsize(text.substr(0, text.find('\n')), kTraceTitle);
  made.content = trace.content;
  made.project = project;
  if (trace.scope == kOrganizationScope) made.scope = "global";
  made.tags = trace.tags;
  made.source = trace.source;
  return made;
}

TraceRow RowOf(const NewTrace& trace, const TraceContext& context, int64_t now_ms) {
  TraceRow row;
  row.id = std::string(kTraceIdPrefix) + base::RandomUuid();
  row.scope = trace.scope;
  row.scope_id = context.ScopeId(trace.scope);
  row.strength = {1, now_ms, 0};
  row.remind_ms = trace.remind_ms;
  row.emotions = trace.emotions;
  row.metadata = trace.metadata;
  return row;
}

}  // namespace memory
