// Writes, changes and hides rows inside the caller's transaction.
#include "memory/sqlite/writing/saving.h"

#include "lib/base/json/json.h"
#include "memory/sqlite/removal/deletions.h"
#include "memory/sqlite/tables/duplicates.h"
#include "memory/sqlite/tables/retired.h"
#include "memory/sqlite/tables/rows.h"
#include "memory/sqlite/tables/vectors.h"
#include "memory/sqlite/tables/waiting.h"
#include "memory/sqlite/writing/said_before.h"

namespace memory {

using api::Observation;
using base::Code;
using base::Error;
using base::Result;
using base::Status;
using sqlite::Database;
using sqlite::Statement;

namespace {

Status KeepRevision(Database& database, int64_t slot, int64_t now_ms) {
  ASSIGN_OR_RETURN(
      Statement keep,
      database.Prepare("INSERT INTO revisions SELECT id, revision_count, ?2, updated_ms, type, "
                       "title, tags, origin, content FROM observations WHERE slot = ?1"));
  return keep.Bind(slot).Bind(now_ms).Run();
}

// Changes the text of a row: stores a revision and updates the index.
Status Rewrite(Database& database, int64_t slot, const Observation& text, const TextFacts& facts,
               int64_t now_ms) {
  RETURN_IF_ERROR(KeepRevision(database, slot, now_ms));
  RETURN_IF_ERROR(RemoveFromIndex(database, slot));
  ASSIGN_OR_RETURN(
      Statement write,
      database.Prepare(
          "UPDATE observations SET type = ?2, title = ?3, content = ?4, tags = ?5, grams = ?6, "
          "hash = ?7, words = ?8, marks = ?9, rule = ?10, tool = ?11, tool_call_id = ?12, "
          "origin = ?13, content_ms = CASE WHEN content = ?4 THEN content_ms ELSE ?14 END, "
          "updated_ms = ?14, seen_ms = ?14, revision_count = revision_count + 1 "
          "WHERE slot = ?1"));
  write.Bind(slot).Bind(std::string_view(text.type)).Bind(std::string_view(text.title));
  const std::string tags = base::DumpJson(text.tags);
  write.Bind(std::string_view(text.content)).Bind(std::string_view(tags));
  write.Bind(std::string_view(WithTags(facts.grams, tags)));
  write.Bind(std::string_view(api::NormalizedHash(text.content)));
  write.Bind(facts.words).Bind(facts.flags);
  write.Bind(std::string_view(text.source.rule)).Bind(std::string_view(text.source.tool));
  write.Bind(std::string_view(text.source.tool_call_id))
      .Bind(std::string_view(text.source.origin))
      .Bind(now_ms);
  RETURN_IF_ERROR(write.Run());
  RETURN_IF_ERROR(PutVector(database, slot, facts));
  return AddToIndex(database, slot);
}

Result<Saved> UpdateTopic(Database& database, int64_t slot, const api::NewObservation& made,
                          const TextFacts& facts, int64_t now_ms) {
  ASSIGN_OR_RETURN(Observation row, ReadRow(database, slot));
  row.type = made.type;
  row.title = made.title;
  row.content = made.content;
  const std::string before = row.source.origin;
  row.source = made.source;
  row.source.origin = api::LowerOrigin(before, made.source.origin);
  if (!made.tags.empty()) row.tags = made.tags;
  RETURN_IF_ERROR(Rewrite(database, slot, row, facts, now_ms));
  return Saved{row.id, "updated", row.revision_count + 1, row.duplicate_count};
}

Result<Saved> CountDuplicate(Database& database, int64_t slot, int64_t now_ms) {
  ASSIGN_OR_RETURN(
      Statement count,
      database.Prepare("UPDATE observations SET duplicate_count = duplicate_count + 1, "
                       "seen_ms = ?2 WHERE slot = ?1"));
  RETURN_IF_ERROR(count.Bind(slot).Bind(now_ms).Run());
  ASSIGN_OR_RETURN(Observation row, ReadRow(database, slot));
  return Saved{row.id, "deduplicated", row.revision_count, row.duplicate_count};
}

// The user's words stay; the agent's are a revision between two of them.
Result<Saved> KeepInHistory(Database& database, int64_t slot, const Observation& agents,
                            int64_t now_ms) {
  ASSIGN_OR_RETURN(const Observation row, ReadRow(database, slot));
  ASSIGN_OR_RETURN(Statement known,
                   database.Prepare("SELECT 1 FROM revisions WHERE id = ?1 AND content = ?2"));
  ASSIGN_OR_RETURN(const bool kept, known.Bind(row.id).Bind(agents.content).Step());
  if (kept) return CountDuplicate(database, slot, now_ms);
  RETURN_IF_ERROR(KeepRevision(database, slot, now_ms));
  ASSIGN_OR_RETURN(Statement keep,
                   database.Prepare("INSERT INTO revisions(id, revision, replaced_ms, written_ms, "
                                    "type, title, tags, origin, content) "
                                    "VALUES(?1, ?2, ?3, ?3, ?4, ?5, ?6, ?7, ?8)"));
  keep.Bind(row.id).Bind(row.revision_count + 1).Bind(now_ms).Bind(agents.type);
  keep.Bind(agents.title).Bind(base::DumpJson(agents.tags)).Bind(agents.source.origin);
  RETURN_IF_ERROR(keep.Bind(agents.content).Run());
  ASSIGN_OR_RETURN(Statement count,
                   database.Prepare("UPDATE observations SET revision_count = revision_count + 2 "
                                    "WHERE slot = ?1"));
  RETURN_IF_ERROR(count.Bind(slot).Run());
  return CountDuplicate(database, slot, now_ms);
}

// What the session says already, in other words.
Result<Saved> Retell(Database& database, const SaidBefore& said, const Saving& saving,
                     const Incoming& incoming) {
  if (said.gets_topic) {
    ASSIGN_OR_RETURN(Statement name, database.Prepare("UPDATE observations SET topic_key = ?2 "
                                                      "WHERE slot = ?1"));
    RETURN_IF_ERROR(name.Bind(said.slot).Bind(incoming.topic_key).Run());
  }
  switch (said.step) {
    case RetellStep::kCount:
      break;
    case RetellStep::kUpdate:
      return UpdateTopic(database, said.slot, saving.made, saving.facts, saving.now_ms);
    case RetellStep::kKeepInHistory:
      return KeepInHistory(database, said.slot, RowOf(saving.made, incoming), saving.now_ms);
  }
  return CountDuplicate(database, said.slot, saving.now_ms);
}

// The decision about a write, if its topic may be a user's.
Result<Decision> DecideInside(Database& database, Incoming& incoming, int64_t project,
                              int64_t window_ms) {
  ASSIGN_OR_RETURN(auto candidates, FindCandidates(database, incoming, project, window_ms));
  const Decision decision = Decide(candidates, incoming, window_ms);
  if (decision.tier != Tier::kUsersTopic) return decision;
  if (incoming.origin == api::kOriginAgent) {
    ASSIGN_OR_RETURN(const Observation row, ReadRow(database, decision.slot));
    return Error{Code::kDenied, "a user wrote observation " + std::to_string(row.id) +
                                    ", which has the topic_key \"" + incoming.topic_key +
                                    "\", and this agent may not change it (memory.allowAdmin of "
                                    "its Agent); save under another topic_key"};
  }
  // No client is there to be asked: stores it beside the user's row.
  incoming.topic_key.clear();
  return DecideInside(database, incoming, project, window_ms);
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

Result<Saved> SaveInside(Database& database, const Saving& saving) {
  const api::NewObservation& made = saving.made;
  const int64_t now_ms = saving.now_ms;
  ASSIGN_OR_RETURN(int64_t session,
                   FindOrAddSession(database, made.session_id, made.project, now_ms));
  ASSIGN_OR_RETURN(int64_t project, FindOrAddProject(database, made.project));
  RETURN_IF_ERROR(FreeTopic(database, made.topic_key, project, made.scope, now_ms));
  Incoming incoming = saving.asked;
  ASSIGN_OR_RETURN(const Decision decision,
                   DecideInside(database, incoming, project, saving.window_ms));
  std::optional<SaidBefore> said;
  if (decision.tier == Tier::kNew && saving.said) {
    ASSIGN_OR_RETURN(said, FindSaid(database, made, *saving.said, project, session));
  }
  Saved saved{0, "created"};
  if (decision.tier == Tier::kTopic) {
    ASSIGN_OR_RETURN(saved, UpdateTopic(database, decision.slot, made, saving.facts, now_ms));
  } else if (decision.tier == Tier::kHash) {
    ASSIGN_OR_RETURN(saved, CountDuplicate(database, decision.slot, now_ms));
  } else if (said) {
    ASSIGN_OR_RETURN(saved, Retell(database, *said, saving, incoming));
  } else {
    ASSIGN_OR_RETURN(saved.id, InsertRow(database, RowOf(made, incoming), saving.facts, session));
  }
  if (decision.tier != Tier::kHash)
    RETURN_IF_ERROR(NoteWriting(database, saving.text_digest, saving.owner));
  return saved;
}

Error NoSuchRow(int64_t id) {
  return Error{Code::kNotFound, "there is no observation " + std::to_string(id)};
}

Result<Observation> ChangeInside(Database& database, int64_t id, const Patch& patch,
                                 const FactsOfRow& facts_of, int64_t now_ms) {
  ASSIGN_OR_RETURN(std::optional<Place> place, FindRow(database, id));
  if (!place || !place->live) return NoSuchRow(id);
  ASSIGN_OR_RETURN(Observation row, ReadRow(database, place->slot));
  if (patch.if_revision && *patch.if_revision != row.revision_count) {
    return Error{Code::kConflict, "observation " + std::to_string(id) + " has revision " +
                                      std::to_string(row.revision_count) + ", not " +
                                      std::to_string(*patch.if_revision) + "; nothing was changed"};
  }
  bool changes =
      (patch.type && *patch.type != row.type) || (patch.title && *patch.title != row.title) ||
      (patch.content && *patch.content != row.content) || (patch.tags && *patch.tags != row.tags);
  if (!changes) return row;
  if (!MayChange(row.source.origin, patch.writer, patch.replace_user)) {
    return Error{Code::kDenied, "a user wrote observation " + std::to_string(id) +
                                    ", and only a user may change it"};
  }
  row.source.origin = api::LowerOrigin(row.source.origin, patch.writer);
  row.type = patch.type.value_or(row.type);
  row.title = patch.title.value_or(row.title);
  row.content = patch.content.value_or(row.content);
  row.tags = patch.tags.value_or(row.tags);
  RETURN_IF_ERROR(Rewrite(database, place->slot, row, facts_of(row.title, row.content), now_ms));
  return ReadRow(database, place->slot);
}

Status HideInside(Database& database, const std::string& salt, int64_t slot, int64_t now_ms) {
  RETURN_IF_ERROR(RemoveFromIndex(database, slot));
  RETURN_IF_ERROR(NoteDeletion(database, salt, slot));
  // Longer rules do not restore rows that a client deleted.
  ASSIGN_OR_RETURN(Statement keep_off, database.Prepare("DELETE FROM retired WHERE slot = ?1"));
  RETURN_IF_ERROR(keep_off.Bind(slot).Run());
  ASSIGN_OR_RETURN(Statement hide, database.Prepare("UPDATE observations SET deleted_ms = ?2 "
                                                    "WHERE slot = ?1 AND deleted_ms IS NULL"));
  return hide.Bind(slot).Bind(now_ms).Run();
}

Result<bool> ShowInside(Database& database, const std::string& salt, int64_t slot) {
  ASSIGN_OR_RETURN(const bool shown, Revive(database, slot));
  if (!shown) return false;
  ASSIGN_OR_RETURN(const Observation row, ReadRow(database, slot));
  RETURN_IF_ERROR(ForgetDeletion(database, DigestsOf(salt, row), std::nullopt));
  return true;
}

}  // namespace memory
