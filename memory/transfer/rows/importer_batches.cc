// What waits goes into the store, in the order in which rows need each other, and is counted.
#include <algorithm>
#include <utility>

#include "lib/base/text/text.h"
#include "memory/transfer/rows/importer.h"

namespace memory {

using base::Code;
using base::Json;
using base::Result;
using base::Status;

namespace {

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
  RETURN_IF_ERROR(agentos_.Finish());
  return Flush();  // what that kept
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
    if (!outcomes[i] && manners_[i] == Manner::kSoft && Detach(batch_[i].row)) {
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
  manners_.clear();
  return {};
}

void Importer::CountOutcome(const Result<Imported>& outcome, size_t of_batch) {
  const Place& place = places_[of_batch];
  if (!outcome) return Refuse("observation", place, outcome.error());
  if (manners_[of_batch] == Manner::kKept) {
    ++(outcome->outcome == Imported::kNew ? kept_ : skipped_);
    return;
  }
  Count(outcome->outcome, batch_[of_batch].row.source.origin);
  if (!keeps_numbers_) return;
  numbers_.resize(std::max(numbers_.size(), place.index + 1));
  numbers_[place.index] = outcome->observation;
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

}  // namespace memory
