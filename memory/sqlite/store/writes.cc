// Saving, changing and deleting observations. Every call is one piece of work on the writer's
// thread: what it reads and what it writes are one transaction, so no two writers can race.
#include "lib/base/json/json.h"
#include "memory/model/dedup.h"
#include "memory/model/slots.h"
#include "memory/model/words.h"
#include "memory/sqlite/removal/deletions.h"
#include "memory/sqlite/removal/erase_quotes.h"
#include "memory/sqlite/store/state.h"
#include "memory/sqlite/tables/keys.h"
#include "memory/sqlite/tables/retired.h"
#include "memory/sqlite/tables/rows.h"
#include "memory/sqlite/tables/twins.h"
#include "memory/sqlite/tables/waiting.h"

namespace memory {

using api::Observation;
using base::Code;
using base::Error;
using base::Result;
using base::Status;
using sqlite::Database;
using sqlite::Statement;

namespace {

// A summary that came while others were looked through: clocks of callers may differ by as much.
constexpr int64_t kWrittenMeanwhileMs = 60'000;

Error NoSuchRow(int64_t id) {
  return Error{Code::kNotFound, "there is no observation " + std::to_string(id)};
}

Status KeepRevision(Database& database, int64_t slot, int64_t now_ms) {
  ASSIGN_OR_RETURN(
      Statement keep,
      database.Prepare("INSERT INTO revisions SELECT id, revision_count, ?2, updated_ms, type, "
                       "title, tags, origin, content FROM observations WHERE slot = ?1"));
  return keep.Bind(slot).Bind(now_ms).Run();
}

// New text for a row: the old one becomes a revision, and the index follows.
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
  write.Bind(std::string_view(text.content)).Bind(std::string_view(base::DumpJson(text.tags)));
  write.Bind(std::string_view(facts.grams));
  write.Bind(std::string_view(api::NormalizedHash(text.content)));
  write.Bind(facts.words).Bind(facts.marks);
  write.Bind(std::string_view(text.source.rule)).Bind(std::string_view(text.source.tool));
  write.Bind(std::string_view(text.source.tool_call_id))
      .Bind(std::string_view(text.source.origin))
      .Bind(now_ms);
  RETURN_IF_ERROR(write.Run());
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

// What becomes of a write, where its topic may be a user's.
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
  // Nobody is there to be told: it is kept beside the user's.
  incoming.topic_key.clear();
  return DecideInside(database, incoming, project, window_ms);
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

}  // namespace

Result<Saved> SqliteStore::Save(const api::NewObservation& observation, const RequestKey& key,
                                int64_t now_ms) {
  api::NewObservation made = observation;
  if (!api::IsOrigin(made.source.origin)) made.source.origin = api::kOriginUser;
  const Incoming asked{made.topic_key,
                       made.scope,
                       made.type,
                       made.source.rule,
                       api::NormalizedHash(made.content),
                       now_ms,
                       made.source.origin,
                       made.replace_user};
  RETURN_IF_ERROR(state_->AdmitGrowth());
  const int64_t window_ms = state_->options.dedup_window_ms;
  // Not on the writer's thread:
  const TextFacts facts = FactsOf(made.title, made.content);
  const KeyOfCaller kept(key, made, state_->salt);
  const int64_t mark =
      TextMark(state_->salt, asked.hash, made.type, made.scope, made.source.rule, made.project);
  const int64_t kept_ms = state_->options.idempotency_ms;
  return state_->writer->Run<Saved>([&](Database& database) -> Result<Saved> {
    if (!key.key.empty()) {
      ASSIGN_OR_RETURN(std::optional<Saved> answer, FindAnswer(database, kept, now_ms - kept_ms));
      if (answer) return std::move(*answer);
    }
    ASSIGN_OR_RETURN(int64_t session,
                     FindOrAddSession(database, made.session_id, made.project, now_ms));
    ASSIGN_OR_RETURN(int64_t project, FindOrAddProject(database, made.project));
    RETURN_IF_ERROR(FreeTopic(database, made.topic_key, project, made.scope, now_ms));
    Incoming incoming = asked;
    ASSIGN_OR_RETURN(const Decision decision, DecideInside(database, incoming, project, window_ms));
    Saved saved{0, "created"};
    if (decision.tier == Tier::kTopic) {
      ASSIGN_OR_RETURN(saved, UpdateTopic(database, decision.slot, made, facts, now_ms));
    } else if (decision.tier == Tier::kHash) {
      ASSIGN_OR_RETURN(saved, CountDuplicate(database, decision.slot, now_ms));
    } else {
      ASSIGN_OR_RETURN(saved.id, InsertRow(database, RowOf(made, incoming), facts, session));
    }
    if (decision.tier != Tier::kHash) RETURN_IF_ERROR(NoteWriting(database, mark));
    if (!key.key.empty()) RETURN_IF_ERROR(KeepAnswer(database, kept, saved, now_ms, kept_ms));
    return saved;
  });
}

Result<Observation> SqliteStore::Update(int64_t id, const Patch& patch, int64_t now_ms) {
  RETURN_IF_ERROR(state_->AdmitGrowth());
  return state_->writer->Run<Observation>([&](Database& database) -> Result<Observation> {
    ASSIGN_OR_RETURN(std::optional<Place> place, FindRow(database, id));
    if (!place || !place->live) return NoSuchRow(id);
    ASSIGN_OR_RETURN(Observation row, ReadRow(database, place->slot));
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
    RETURN_IF_ERROR(Rewrite(database, place->slot, row, FactsOf(row.title, row.content), now_ms));
    return ReadRow(database, place->slot);
  });
}

Status SqliteStore::Delete(int64_t id, bool hard, int64_t now_ms) {
  std::vector<int64_t> quoting;  // sessions
  if (hard) {
    ASSIGN_OR_RETURN(quoting, FindQuoting(state_->readers, id));
  }
  auto take_away = [&](Database& database) -> Status {
    ASSIGN_OR_RETURN(std::optional<Place> place, FindRow(database, id));
    if (!place) {
      ASSIGN_OR_RETURN(Statement read, database.Prepare("SELECT 1 FROM tombstones WHERE id = ?1"));
      read.Bind(id);
      ASSIGN_OR_RETURN(bool was, read.Step());
      return was ? Status() : Status(NoSuchRow(id));
    }
    RETURN_IF_ERROR(RemoveFromIndex(database, place->slot));
    RETURN_IF_ERROR(NoteDeletion(database, state_->salt, place->slot));
    if (!hard) {
      // What somebody deleted does not come back by other rules.
      ASSIGN_OR_RETURN(Statement keep_off, database.Prepare("DELETE FROM retired WHERE slot = ?1"));
      RETURN_IF_ERROR(keep_off.Bind(place->slot).Run());
      ASSIGN_OR_RETURN(Statement hide, database.Prepare("UPDATE observations SET deleted_ms = ?2 "
                                                        "WHERE slot = ?1 AND deleted_ms IS NULL"));
      return hide.Bind(place->slot).Bind(now_ms).Run();
    }
    RETURN_IF_ERROR(EraseQuotes(database, id, quoting, now_ms - kWrittenMeanwhileMs));
    RETURN_IF_ERROR(state_->eraser.Ask(database, place->slot >> kRangeBits));
    ASSIGN_OR_RETURN(Statement remove,
                     database.Prepare("DELETE FROM observations WHERE slot = ?1"));
    RETURN_IF_ERROR(remove.Bind(place->slot).Run());
    ASSIGN_OR_RETURN(Statement forget, database.Prepare("DELETE FROM revisions WHERE id = ?1"));
    RETURN_IF_ERROR(forget.Bind(id).Run());
    ASSIGN_OR_RETURN(Statement mark, database.Prepare("INSERT INTO tombstones VALUES(?1, ?2)"));
    return mark.Bind(id).Bind(now_ms).Run();
  };
  return state_->writer->RunAny(take_away, sqlite::Writer::Room::kGives);
}

}  // namespace memory
