// One decision (memory/model/dedup) on what the engine finds, and the verbs that follow from it.
#include "memory/keeping/saving.h"

#include <utility>

#include "memory/keeping/deletions.h"
#include "memory/keeping/retelling.h"
#include "memory/model/marks.h"
#include "memory/model/salted_digests.h"

namespace memory {

using api::Observation;
using base::Code;
using base::Error;
using base::Result;

namespace {

Result<Saved> UpdateTopic(Observations& rows, RowId id, const Saving& saving) {
  const api::NewObservation& made = saving.made;
  ASSIGN_OR_RETURN(Observation row, rows.Read(id));
  row.type = made.type;
  row.title = made.title;
  row.content = made.content;
  const std::string before = row.source.origin;
  row.source = made.source;
  row.source.origin = api::LowerOrigin(before, made.source.origin);
  if (!made.tags.empty()) row.tags = WithMarksOf(row.tags, made.tags);
  RETURN_IF_ERROR(rows.Rewrite(id, row, saving.facts, saving.now_ms));
  return Saved{row.id, "updated", row.revision_count + 1, row.duplicate_count};
}

Result<Saved> CountDuplicate(Observations& rows, RowId id, int64_t now_ms) {
  RETURN_IF_ERROR(rows.CountDuplicate(id, now_ms));
  ASSIGN_OR_RETURN(const Observation row, rows.Read(id));
  return Saved{row.id, "deduplicated", row.revision_count, row.duplicate_count};
}

// The session says it already, in other words.
Result<Saved> Retell(Observations& rows, const SaidBefore& said, const Saving& saving,
                     const Incoming& incoming) {
  if (said.gets_topic) RETURN_IF_ERROR(rows.SetTopic(said.row, incoming.topic_key));
  if (said.step == RetellStep::kUpdate) return UpdateTopic(rows, said.row, saving);
  if (said.step == RetellStep::kKeepInHistory) {
    ASSIGN_OR_RETURN(const Observation users, rows.Read(said.row));
    ASSIGN_OR_RETURN(const bool kept, rows.HasRevision(users.id, saving.made.content));
    if (!kept)
      RETURN_IF_ERROR(rows.AddRevision(said.row, RowOf(saving.made, incoming), saving.now_ms));
  }
  return CountDuplicate(rows, said.row, saving.now_ms);
}

// What a write does, if its topic may be a user's.
Result<Decision> DecideAmong(Observations& rows, Incoming& incoming, const Location& location,
                             int64_t window_ms) {
  ASSIGN_OR_RETURN(const auto candidates, rows.FindCandidates(incoming, location, window_ms));
  const Decision decision = Decide(candidates, incoming, window_ms);
  if (decision.tier != Tier::kUsersTopic) return decision;
  if (incoming.origin == api::kOriginAgent) {
    ASSIGN_OR_RETURN(const Observation row, rows.Read(decision.row));
    return Error{Code::kDenied, "a user wrote observation " + std::to_string(row.id) +
                                    ", which has the topic_key \"" + incoming.topic_key +
                                    "\", and this agent may not change it (memory.allowAdmin of "
                                    "its Agent); save under another topic_key"};
  }
  // No client is there to be asked: stores it beside the user's row.
  incoming.topic_key.clear();
  return DecideAmong(rows, incoming, location, window_ms);
}

}  // namespace

Saving::Saving(const api::NewObservation& observation, TextFacts of, const std::string& salt,
               int64_t dedup_window_ms, int64_t now)
    : made(observation), facts(std::move(of)), window_ms(dedup_window_ms), now_ms(now) {
  if (!api::IsOrigin(made.source.origin)) made.source.origin = api::kOriginUser;
  asked = {made.topic_key,
           made.scope,
           made.type,
           made.source.rule,
           api::NormalizedHash(made.content),
           now_ms,
           made.source.origin,
           made.replace_user};
  text_digest = TextDigest(salt, asked.hash, made.type, made.scope, made.source.rule, made.project);
}

Observation RowOf(const api::NewObservation& made, const Incoming& incoming) {
  Observation row;
  row.type = made.type;
  row.title = made.title;
  row.content = made.content;
  row.project = made.project;
  row.tags = made.tags;
  row.scope = made.scope;
  row.topic_key = incoming.topic_key;
  row.normalized_hash = incoming.hash;
  row.source = made.source;
  row.created_ms = row.updated_ms = row.last_seen_ms = incoming.now_ms;
  return row;
}

Result<Saved> SaveObservation(Observations& rows, const Saving& saving) {
  const api::NewObservation& made = saving.made;
  const int64_t now_ms = saving.now_ms;
  ASSIGN_OR_RETURN(const Location location,
                   rows.FindOrAddLocation(made.session_id, made.project, now_ms));
  if (!made.topic_key.empty())
    RETURN_IF_ERROR(rows.FreeTopic(made.topic_key, location, made.scope, now_ms));
  Incoming incoming = saving.asked;
  ASSIGN_OR_RETURN(const Decision decision,
                   DecideAmong(rows, incoming, location, saving.window_ms));
  std::optional<SaidBefore> said;
  if (decision.tier == Tier::kNew && saving.said) {
    ASSIGN_OR_RETURN(said, FindSaid(rows, made, *saving.said, location));
  }
  Saved saved{0, "created"};
  if (decision.tier == Tier::kTopic) {
    ASSIGN_OR_RETURN(saved, UpdateTopic(rows, decision.row, saving));
  } else if (decision.tier == Tier::kHash) {
    return CountDuplicate(rows, decision.row, now_ms);
  } else if (said) {
    ASSIGN_OR_RETURN(saved, Retell(rows, *said, saving, incoming));
  } else {
    ASSIGN_OR_RETURN(saved.id, rows.Insert(RowOf(made, incoming), saving.facts, location));
  }
  RETURN_IF_ERROR(NoteWriting(rows.deletions(), saving.text_digest, saving.owner));
  return saved;
}

Error NoSuchRow(int64_t id) {
  return Error{Code::kNotFound, "there is no observation " + std::to_string(id)};
}

Result<Observation> ChangeObservation(Observations& rows, int64_t id, const Patch& patch,
                                      const FactsOfRow& facts_of, int64_t now_ms) {
  ASSIGN_OR_RETURN(const std::optional<RowPlace> place, rows.Find(id));
  if (!place || !place->live) return NoSuchRow(id);
  ASSIGN_OR_RETURN(Observation row, rows.Read(place->row));
  if (patch.if_revision && *patch.if_revision != row.revision_count) {
    return Error{Code::kConflict, "observation " + std::to_string(id) + " has revision " +
                                      std::to_string(row.revision_count) + ", not " +
                                      std::to_string(*patch.if_revision) + "; nothing was changed"};
  }
  if ((patch.pinned || patch.buried) && patch.writer != api::kOriginUser) {
    return Error{Code::kDenied,
                 "pinned, buried: only a user may pin or bury, the writer's origin "
                 "is " +
                     patch.writer};
  }
  std::vector<std::string> tags = row.tags;
  if (patch.tags) tags = WithMarksOf(row.tags, *patch.tags);
  if (patch.pinned) tags = WithMark(std::move(tags), kPinnedTag, *patch.pinned);
  if (patch.buried) tags = WithMark(std::move(tags), kBuriedTag, *patch.buried);
  const bool changes = (patch.type && *patch.type != row.type) ||
                       (patch.title && *patch.title != row.title) ||
                       (patch.content && *patch.content != row.content) || tags != row.tags;
  if (!changes) return row;
  if (!MayChange(row.source.origin, patch.writer, patch.replace_user)) {
    return Error{Code::kDenied, "a user wrote observation " + std::to_string(id) +
                                    ", and only a user may change it"};
  }
  row.source.origin = api::LowerOrigin(row.source.origin, patch.writer);
  row.type = patch.type.value_or(row.type);
  row.title = patch.title.value_or(row.title);
  row.content = patch.content.value_or(row.content);
  row.tags = std::move(tags);
  RETURN_IF_ERROR(rows.Rewrite(place->row, row, facts_of(row.title, row.content), now_ms));
  return rows.Read(place->row);
}

}  // namespace memory
