// Batches of an import: large enough that a sync and a segment of the index are shared by many
// rows, small enough that other writers wait for milliseconds.
#include "memory/transfer/rows/importer.h"

#include <algorithm>

#include "lib/base/json/stored.h"
#include "lib/base/text/text.h"
#include "memory/api/episodes/episode_json.h"
#include "memory/api/items/item_json.h"
#include "memory/api/revision.h"
#include "memory/api/traces/exported_traces.h"
#include "memory/api/validate.h"
#include "memory/transfer/rows/checked_texts.h"
#include "memory/transfer/rows/format.h"
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

// Takes away what may tie a row to rows of the store, a topic key and a session, and keeps them as
// lines. False: it has neither.
bool Detach(api::Observation& row) {
  const std::string session = "import-" + row.project;
  if (row.topic_key.empty() && row.session_id == session) return false;
  std::string lines;
  if (!row.topic_key.empty()) lines += "\ntopic_key: " + std::exchange(row.topic_key, "");
  if (row.session_id != session) lines += "\nsession_id: " + row.session_id;
  row.session_id = std::string(base::Prefix(session, api::kMaxSessionId));
  if (base::CountCharacters(row.content) + base::CountCharacters(lines) < api::kMaxContent)
    row.content += "\n" + lines;
  return true;
}

}  // namespace

Importer::Importer(Store& store, const ImportOptions& options, bool administrator,
                   std::unique_ptr<conversation::Host> conversations, TraceContext context)
    : store_(store),
      options_(options),
      administrator_(administrator),
      conversations_(std::move(conversations)),
      aegis_(*conversations_),
      agentos_(store, options, std::move(context), *conversations_) {
  agentos_.Tell(
      [this](const char* kind, size_t index, const Error& why) {
        Refuse(kind, {index, Json()}, why);
      },
      [this](Imported::Outcome outcome, const std::string& origin) { CountKnown(outcome, origin); },
      [this](std::string& origin) { HoldOrigin(origin); });
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
  if (soft_) return TakeSoft(json, where);
  const Place place{observations_given_++, where};
  Result<ExportedRow> decoded = DecodeRow(json);
  if (decoded) return TakeRow(*std::move(decoded), place);
  Refuse("observation", place, decoded.error());
  return {};
}

Status Importer::TakeSoft(const Json& json, const Json& where) {
  Result<ExportedRow> decoded = DecodeRow(json);
  std::vector<std::string> problems;
  Json soft;
  if (!decoded) {
    soft = SoftenedRow(json, problems);
    const std::vector<std::string> parts = PartsOfText(soft["content"].get<std::string>());
    if (parts.size() > 1) {
      const std::string title = soft["title"].get<std::string>();
      for (size_t i = 0; i < parts.size(); ++i) {
        Json part = soft;
        const std::string of =
            " (" + std::to_string(i + 1) + " of " + std::to_string(parts.size()) + ")";
        part["content"] = parts[i];
        part["title"] = base::Ellipsize(title, api::kMaxTitle - of.size()) + of;
        if (i > 0) part.erase("topic_key"), part.erase("id");
        ASSIGN_OR_RETURN(ExportedRow row, DecodeRow(part));
        const Place place{observations_given_++, where};
        for (const std::string& problem : std::exchange(problems, {}))
          Report("observation", place, problem);
        RETURN_IF_ERROR(TakeRow(std::move(row), place));
      }
      return {};
    }
    decoded = DecodeRow(soft);
  }
  const Place place{observations_given_++, where};
  if (!decoded) {
    Refuse("observation", place, decoded.error());
    return {};
  }
  for (const std::string& problem : problems) Report("observation", place, problem);
  return TakeRow(*std::move(decoded), place);
}

Status Importer::TakeRow(ExportedRow given, const Place& place) {
  api::Observation& row = given.row;
  if (!ours_) row.duplicate_count = std::max<int64_t>(0, row.duplicate_count - 1);
  HoldTrust(given);
  batch_bytes_ += row.content.size();
  for (const Revision& old : given.revisions) batch_bytes_ += old.content.size();
  batch_.push_back(std::move(given));
  places_.push_back(place);
  soft_batch_.push_back(soft_);
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

Status Importer::FlushTraces() {
  if (!trace_batch_.empty()) {
    ASSIGN_OR_RETURN(const auto taken, store_.traces().Import(trace_batch_));
    for (const bool one : taken) ++(one ? traces_ : skipped_);
    trace_batch_.clear();
  }
  RETURN_IF_ERROR(FlushEdges(edge_batch_, edge_places_));
  return FlushEdges(numbered_batch_, numbered_places_);
}

template <class Edge>
Status Importer::FlushEdges(std::vector<Edge>& batch, std::vector<Place>& places) {
  if (batch.empty()) return {};
  ASSIGN_OR_RETURN(const auto taken, store_.traces().Import(batch));
  for (size_t i = 0; i < taken.size(); ++i) {
    if (taken[i] == EdgeTaken::kFull)
      Refuse("edge", places[i],
             {Code::kFull,
              "its trace has " + std::to_string(kMaxTraceEdges) + " edges, which is the limit"});
    else
      ++(taken[i] == EdgeTaken::kNew ? edges_ : skipped_);
  }
  batch.clear();
  places.clear();
  return {};
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

Status Importer::FlushAegis() {
  if (aegis_batch_.empty()) return {};
  ASSIGN_OR_RETURN(const auto outcomes, aegis_.Take(aegis_batch_));
  for (size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i])
      Refuse("aegis", aegis_places_[i], outcomes[i].error());
    else
      ++(*outcomes[i] ? hashes_ : skipped_);
  }
  aegis_batch_.clear();
  aegis_places_.clear();
  return {};
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

Status Importer::Flush() {
  RETURN_IF_ERROR(FlushSessions());  // first, so that no observation implies one
  RETURN_IF_ERROR(FlushObservations());
  RETURN_IF_ERROR(FlushItems());
  RETURN_IF_ERROR(FlushEpisodes());
  RETURN_IF_ERROR(FlushTraces());
  RETURN_IF_ERROR(FlushAegis());
  batch_bytes_ = 0;
  return {};
}

Status Importer::Finish() {
  RETURN_IF_ERROR(Flush());
  return agentos_.Finish();
}

Status Importer::FlushEpisodes() {
  if (episode_batch_.empty()) return {};
  ASSIGN_OR_RETURN(const std::vector<bool> taken, store_.ImportEpisodes(episode_batch_));
  for (const bool one : taken) ++(one ? episodes_ : skipped_);
  episode_batch_.clear();
  return {};
}

Status Importer::FlushItems() {
  if (item_batch_.empty()) return {};
  ASSIGN_OR_RETURN(const std::vector<bool> taken, store_.items().Import(item_batch_));
  for (const bool one : taken) ++(one ? items_ : skipped_);
  item_batch_.clear();
  return {};
}

Status Importer::FlushSessions() {
  if (session_batch_.empty()) return {};
  ASSIGN_OR_RETURN(Store::ImportOutcomes outcomes, store_.Import(session_batch_));
  for (size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i])
      Refuse("session", session_places_[i], outcomes[i].error());
    else
      ++(outcomes[i]->outcome == Imported::kNew ? sessions_ : skipped_);
  }
  session_batch_.clear();
  session_places_.clear();
  return {};
}

Status Importer::FlushObservations() {
  if (batch_.empty()) return {};
  ASSIGN_OR_RETURN(Store::ImportOutcomes outcomes, store_.Import(batch_, options_));
  std::vector<size_t> again;
  for (size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i] && soft_batch_[i] && Detach(batch_[i].row)) {
      Report("observation", places_[i], outcomes[i].error().message + ": it is taken without them");
      again.push_back(i);
      continue;
    }
    CountOutcome(outcomes[i], i);
  }
  if (!again.empty()) {
    std::vector<ExportedRow> rows;
    for (const size_t i : again) rows.push_back(batch_[i]);
    ASSIGN_OR_RETURN(outcomes, store_.Import(rows, options_));
    for (size_t i = 0; i < outcomes.size(); ++i) CountOutcome(outcomes[i], again[i]);
  }
  batch_.clear();
  places_.clear();
  soft_batch_.clear();
  return {};
}

void Importer::CountOutcome(const Result<Imported>& outcome, size_t of_batch) {
  const Place& place = places_[of_batch];
  if (!outcome) return Refuse("observation", place, outcome.error());
  Count(outcome->outcome, batch_[of_batch].row.source.origin);
  if (!keeps_numbers_) return;
  numbers_.resize(std::max(numbers_.size(), place.index + 1));
  numbers_[place.index] = outcome->observation;
}

}  // namespace memory
