// Stores facts as traces of their user.
#include "memory/ingest/ingest_turn.h"

#include <algorithm>

#include "memory/extract/select.h"
#include "memory/extract/sentiment.h"
#include "memory/ingest/ingest_settings.h"

namespace memory {

using base::Json;
using base::Result;
using base::Status;

namespace {

constexpr const char* kCollection = "auto_memories";
constexpr const char* kIngestedTag = "auto";
constexpr const char* kNoteTag = "observer";
constexpr size_t kRecentTraces = 200;  // traces
constexpr size_t kNoteBytes = 4000;

// The names of categories in AgentOS.
const char* KindOf(FactCategory category) {
  if (category == FactCategory::kGoal) return kProspective;
  return category == FactCategory::kEpisodic ? kEpisodic : kSemantic;
}

// The lower trust class of the turn and of the speaker.
api::Source SourceOf(const Turn& turn, Speaker said_by) {
  api::Source source = turn.source;
  source.origin = api::LowerOrigin(
      source.origin, said_by == Speaker::kUser ? api::kOriginUser : api::kOriginAgent);
  return source;
}

NewTrace TraceOf(const FactDecision& decision, const PendingTurn& pending, bool sentiment) {
  NewTrace trace;
  trace.content = decision.fact.content;
  trace.kind = KindOf(decision.fact.category);
  trace.tags = {kIngestedTag, NameOf(decision.fact.category)};
  trace.metadata = {{"category", NameOf(decision.fact.category)},
                    {"importance", decision.fact.importance},
                    {"sourceTurn", pending.id},
                    {"collection", kCollection}};
  if (sentiment) {
    const Emotions felt = EmotionsOf(decision.fact.content);
    trace.emotions = {{"valence", felt.valence}, {"arousal", felt.arousal}};
  }
  trace.source = SourceOf(pending.turn, decision.fact.said_by);
  return trace;
}

Json EncodeDecision(const FactDecision& decision, const std::string& trace) {
  return {{"category", NameOf(decision.fact.category)},
          {"importance", decision.fact.importance},
          {"threshold", decision.threshold},
          {"decision", NameOf(decision.fate)},
          {"saidBy", NameOf(decision.fact.said_by)},
          {"traceId", trace.empty() ? Json() : Json(trace)}};
}

bool HasTag(const Trace& trace, const char* tag) {
  return std::find(trace.tags.begin(), trace.tags.end(), tag) != trace.tags.end();
}

// Stores the facts since the last note as one episodic trace.
Status WriteNote(Store& store, const Turn& turn) {
  ASSIGN_OR_RETURN(const auto recent, store.traces().Newest(turn.context, kRecentTraces));
  NewTrace note;
  note.tags = {kIngestedTag, kNoteTag};
  note.source.origin = SourceOf(turn, Speaker::kUser).origin;
  for (const Trace& fact : recent) {
    if (HasTag(fact, kNoteTag) || note.content.size() + fact.content.size() > kNoteBytes) break;
    if (!HasTag(fact, kIngestedTag)) continue;
    note.content += (note.content.empty() ? "Observed: " : " ") + fact.content;
    note.source.origin = api::LowerOrigin(note.source.origin, fact.source.origin);
  }
  if (note.content.empty()) return {};
  note.metadata = {{"collection", kCollection}, {"category", "observation_note"}};
  RETURN_IF_ERROR(store.traces().Add(turn.context, note));
  return {};
}

}  // namespace

Result<std::vector<FactCandidate>> FactsOfTurn(const Turn& turn, Extractor& extractor,
                                               const std::stop_token& stop) {
  ASSIGN_OR_RETURN(const IngestSettings settings, DecodeIngestSettings(turn.settings));
  if (!settings.enabled) return std::vector<FactCandidate>();
  return extractor.FactsOf(turn.user, turn.assistant, stop);
}

Status IngestTurn(Store& store, const PendingTurn& pending, std::vector<FactCandidate> found) {
  const Turn& turn = pending.turn;
  ASSIGN_OR_RETURN(const IngestSettings settings, DecodeIngestSettings(turn.settings));
  Status failed;
  const auto decisions = SelectFacts(std::move(found), settings, [&](const std::string& content) {
    const Result<double> nearest = store.traces().Nearest(turn.context, content);
    if (!nearest && failed) failed = nearest.error();
    return nearest.value_or(0.0);
  });
  RETURN_IF_ERROR(failed);
  Json facts = Json::array();
  for (const FactDecision& decision : decisions) {
    std::string id;
    if (decision.fate == FactFate::kStored) {
      ASSIGN_OR_RETURN(
          const TraceAdded added,
          store.traces().Add(turn.context, TraceOf(decision, pending, settings.sentiment)));
      id = added.id;
    }
    facts.push_back(EncodeDecision(decision, id));
  }
  const int64_t reflect_tokens =
      settings.frequent_compaction ? kOftenReflectTokens : kReflectTokens;
  ASSIGN_OR_RETURN(const TurnsDue due, store.turns().Finish(pending, facts, reflect_tokens));
  if (due.note) RETURN_IF_ERROR(WriteNote(store, turn));
  if (due.reflect)
    RETURN_IF_ERROR(store.consolidation().Reflect(turn.context, false,
                                                  SourceOf(turn, Speaker::kAssistant).origin));
  return {};
}

}  // namespace memory
