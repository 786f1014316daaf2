// Batches of an import: large enough that a sync and a segment of the index are shared by many
// rows, small enough that other writers wait for milliseconds.
#include "memory/transfer/rows/importer.h"

#include <algorithm>

#include "lib/base/json/stored.h"
#include "lib/base/process/clock.h"
#include "lib/base/text/text.h"
#include "memory/api/episodes/episode_json.h"
#include "memory/api/items/item_json.h"
#include "memory/api/revision.h"
#include "memory/api/traces/exported_traces.h"
#include "memory/api/validate.h"
#include "memory/transfer/rows/checked_texts.h"
#include "memory/transfer/rows/foreign_rows.h"
#include "memory/transfer/rows/format.h"
#include "memory/transfer/rows/kept_rows.h"
#include "memory/transfer/rows/softened_row.h"

namespace memory {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;

namespace {

constexpr size_t kBatchRows = 256;
constexpr size_t kBatchBytes = 1 << 20;

Result<ExportedRow> DecodeRow(const Json& json) {
  ExportedRow row;
  RETURN_IF_ERROR(CheckTexts(json));
  ASSIGN_OR_RETURN(row.row, api::DecodeObservation(json));
  auto revisions = json.find("revisions");
  if (revisions == json.end() || revisions->is_null()) return row;
  if (!revisions->is_array()) return Error{Code::kInvalid, "revisions must be an array"};
  for (const Json& revision : *revisions) {
    ASSIGN_OR_RETURN(Revision old, DecodeRevision(revision));
    row.revisions.push_back(std::move(old));
  }
  return row;
}

// The row's trace (EpisodeOfFields), which is strong from its import on.
std::optional<ExportedTrace> TraceOf(const Json& row, const TraceContext& context, int64_t now_ms) {
  if (!row.contains("trace")) return std::nullopt;
  ExportedTrace trace;
  trace.scope = base::StringAt(row, {"trace", "scope"}, kUserScope);
  trace.scope_id = context.ScopeId(trace.scope);
  trace.strength.accessed_ms = now_ms;
  trace.metadata = row["trace"].value("metadata", Json::object());
  return trace;
}

}  // namespace

Importer::Importer(Store& store, const ImportOptions& options, bool administrator,
                   std::unique_ptr<conversation::Host> conversations, TraceContext context)
    : store_(store),
      options_(options),
      administrator_(administrator),
      context_(context),
      conversations_(std::move(conversations)),
      aegis_(*conversations_),
      agentos_(store, options, std::move(context), *conversations_) {
  agentos_.Tell(
      [this](const char* kind, size_t index, const Error& why) {
        Refuse(kind, {index, Json()}, why);
      },
      [this](Imported::Outcome outcome, const std::string& origin) { CountKnown(outcome, origin); },
      [this](std::string& origin) { HoldOrigin(origin); },
      [this](const std::string& array, const Json& element) { return Keep(array, element); });
}

Status Importer::SetFormat(const Json& format) {
  if (format != kExportFormat) {
    return Error{Code::kInvalid,
                 std::string("format must be \"") + kExportFormat + "\", or absent"};
  }
  ours_ = true;
  return {};
}

Status Importer::TakeSession(const Json& json, const Json& where) {
  const Place place{sessions_given_++, where};
  Status clean = CheckTexts(json);
  Result<api::Session> session = clean ? DecodeSession(json) : clean.error();
  if (!session) {
    Refuse("session", place, session.error());
    return {};
  }
  session_batch_.push_back(std::move(*session));
  session_places_.push_back(place);
  return session_batch_.size() < kBatchRows ? Status() : FlushSessions();
}

Status Importer::TakeObservation(const Json& json, const Json& where) {
  const Place place{observations_given_++, where};
  Result<ExportedRow> decoded = DecodeRow(json);
  if (decoded) return TakeRow(*std::move(decoded), place, Manner::kStrict);
  Refuse("observation", place, decoded.error());
  return {};
}

Status Importer::TakeForeign(const Json& json, const Json& where) {
  return TakeSoft(json, where, true);
}

Status Importer::TakeNote(const Json& json, const Json& where) {
  return TakeSoft(json, where, false);
}

Status Importer::TakeForeignSession(Json json, const Json& where) {
  for (const char* time : {"started_at", "ended_at"}) {
    if (!json.is_object() || !json.contains(time)) continue;
    Json& given = json[time];
    given = ForeignTime(given);
    if (given.is_null() ||
        (given.is_string() && base::ParseTime(given.get_ref<const std::string&>())))
      continue;
    Report("session", {sessions_given_, where},
           std::string(time) + " " + base::Ellipsize(base::DumpJson(given), 60) +
               " is no time that can be read: it is left out");
    json.erase(time);
  }
  return TakeSession(json, where);
}

Status Importer::TakeSoft(const Json& json, const Json& where, bool foreign) {
  Json row = json;
  std::vector<std::string> problems;
  std::vector<std::string> parts(1);
  if (!DecodeRow(row)) {
    row = SoftenedRow(std::move(row), problems);
    parts = PartsOfText(row["content"].get<std::string>());
  }
  const std::string title = base::StringAt(row, {"title"});
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts.size() > 1) {
      const std::string of =
          " (" + std::to_string(i + 1) + " of " + std::to_string(parts.size()) + ")";
      row["content"] = parts[i];
      row["title"] = base::Ellipsize(title, api::kMaxTitle - of.size()) + of;
      if (i > 0) row.erase("topic_key"), row.erase("id");
    }
    const Place place{observations_given_++, where};
    Result<ExportedRow> decoded = DecodeRow(row);
    if (!decoded) {
      Refuse("observation", place, decoded.error());
      continue;
    }
    if (foreign) {
      decoded->row.source.origin = api::kOriginImport;
      decoded->trace = TraceOf(row, context_, options_.now_ms);
    }
    for (const std::string& problem : std::exchange(problems, {}))
      Report("observation", place, problem);
    RETURN_IF_ERROR(TakeRow(*std::move(decoded), place, Manner::kSoft));
  }
  return {};
}

Status Importer::Keep(const std::string& array, const Json& element) {
  for (const Json& json : KeptRows(array, element, context_.project)) {
    const Place place{observations_given_++, Json()};
    Result<ExportedRow> row = DecodeRow(json);
    if (row)
      RETURN_IF_ERROR(TakeRow(*std::move(row), place, Manner::kKept));
    else
      Refuse(array.c_str(), place, row.error());
  }
  return {};
}

Status Importer::TakeRow(ExportedRow given, const Place& place, Manner manner) {
  api::Observation& row = given.row;
  if (!ours_) row.duplicate_count = std::max<int64_t>(0, row.duplicate_count - 1);
  HoldTrust(given);
  batch_bytes_ += row.content.size();
  for (const Revision& old : given.revisions) batch_bytes_ += old.content.size();
  if (given.trace) batch_bytes_ += base::WeightOf(given.trace->metadata);
  batch_.push_back(std::move(given));
  places_.push_back(place);
  manners_.push_back(manner);
  return batch_.size() < kBatchRows && batch_bytes_ < kBatchBytes ? Status() : Flush();
}

Status Importer::TakeItem(const Json& json, const Json& where) {
  const Place place{items_given_++, where};
  const Status clean = CheckTexts(json);
  Result<ExportedItem> item = clean ? DecodeExportedItem(json) : clean.error();
  if (!item) {
    Refuse("item", place, item.error());
    return {};
  }
  batch_bytes_ += base::WeightOf(item->item.value) + base::WeightOf(item->item.metadata);
  item_batch_.push_back(std::move(*item));
  return item_batch_.size() < kBatchRows && batch_bytes_ < kBatchBytes ? Status() : Flush();
}

// Its observation, which has the summary, comes as one of the observations.
Status Importer::TakeEpisode(const Json& json, const Json& where) {
  const Place place{episodes_given_++, where};
  const Status clean = CheckTexts(json);
  Result<Episode> episode = clean ? DecodeExportedEpisode(json) : clean.error();
  if (!episode) {
    Refuse("episode", place, episode.error());
    return {};
  }
  batch_bytes_ += episode->summary.size() + base::WeightOf(episode->metadata) +
                  base::WeightOf(episode->key_decisions) + base::WeightOf(episode->entities) +
                  base::WeightOf(episode->tools_used);
  episode_batch_.push_back(std::move(*episode));
  return episode_batch_.size() < kBatchRows && batch_bytes_ < kBatchBytes ? Status() : Flush();
}

// Its observation, which has the text, comes as one of the observations.
Status Importer::TakeTrace(const Json& json, const Json& where) {
  const Place place{traces_given_++, where};
  const Status clean = CheckTexts(json);
  Result<ExportedTrace> trace = clean ? DecodeExportedTrace(json) : clean.error();
  if (!trace) {
    Refuse("trace", place, trace.error());
    return {};
  }
  batch_bytes_ += base::WeightOf(trace->metadata) + base::WeightOf(trace->emotions) +
                  (trace->original ? trace->original->content.size() : 0);
  trace_batch_.push_back(std::move(*trace));
  return trace_batch_.size() < kBatchRows && batch_bytes_ < kBatchBytes ? Status() : Flush();
}

Status Importer::TakeEdge(const Json& json, const Json& where) {
  Place place{edges_given_++, where};
  const Status clean = CheckTexts(json);
  Result<ExportedEdge> edge = clean ? DecodeExportedEdge(json) : clean.error();
  if (!edge) {
    Refuse("edge", place, edge.error());
    return {};
  }
  edge_batch_.push_back(std::move(*edge));
  edge_places_.push_back(std::move(place));
  return edge_batch_.size() < kBatchRows ? Status() : Flush();
}

Status Importer::TakeEdge(NumberedEdge edge) {
  numbered_places_.push_back({edges_given_++, Json()});
  numbered_batch_.push_back(std::move(edge));
  return numbered_batch_.size() < kBatchRows ? Status() : Flush();
}

Status Importer::TakeAegis(const std::string& key, Json hash, const Json& where) {
  if (hash.is_array()) return {};
  const Place place{aegis_given_++, where};
  if (const Status clean = CheckTexts(hash); !clean) {
    Refuse("aegis", place, clean.error());
    return {};
  }
  batch_bytes_ += base::WeightOf(hash);
  aegis_batch_.push_back({key, std::move(hash)});
  aegis_places_.push_back(place);
  return aegis_batch_.size() < kBatchRows && batch_bytes_ < kBatchBytes ? Status() : Flush();
}

void Importer::HoldOrigin(std::string& origin) const {
  if (!api::IsOrigin(origin)) origin = api::kOriginAgent;
  if (options_.vouched && origin == api::kOriginImport) origin = api::kOriginUser;
  if (!administrator_) origin = api::LowerOrigin(origin, api::kOriginAgent);
}

void Importer::HoldTrust(ExportedRow& given) const {
  HoldOrigin(given.row.source.origin);
  if (administrator_) return;
  for (Revision& old : given.revisions)
    old.origin = api::LowerOrigin(old.origin, api::kOriginAgent);
}

void Importer::RefuseObservation(const Error& error, const Json& where) {
  Refuse("observation", {observations_given_++, where}, error);
}

void Importer::RefuseEdges(const Error& error, const Json& where) {
  Refuse("edge", {edges_given_++, where}, error);
}

void Importer::SkipObservation() {
  ++observations_given_;
  ++skipped_;
}

}  // namespace memory
