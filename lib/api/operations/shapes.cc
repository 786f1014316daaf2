// The objects of answers, and those inside bodies.
#include <string_view>
#include <utility>
#include <vector>

#include "lib/api/limits.h"
#include "lib/api/memory_api.h"
#include "lib/api/operations/fields_of_all.h"
#include "lib/api/operations/operations.h"
#include "lib/conversation/task/plan.h"
#include "lib/conversation/task/task_state.h"

namespace api {
namespace {

using Fields = std::vector<Field>;

Shape Made(std::string_view name, Fields fields, bool open = false) {
  return {name, std::move(fields), open};
}

Fields With(Fields fields, const Fields& more) {
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

const Field kTrust = Text("trust"), kScores = Maybe(Object("scores", "Scores")),
            kOrigin = Object("source", "Source"), kPartial = Maybe(Flag("partial")),
            kTexts = List("tags", "text");
const Fields kPage = {kPartial, Maybe(Text("next_cursor"))};

const Fields kObservation =
    With({Whole("id"), Text("session_id"), Text("type"), Text("title"), Text("content"), kTexts,
          Text("project"), Text("scope"), Text("topic_key"), Text("normalized_hash"),
          Whole("revision_count"), Whole("duplicate_count"), Time("last_seen_at"),
          Time("created_at"), Time("updated_at"), kOrigin},
         {});

const std::vector<Shape> kObservationShapes = {
    Made("Error", {Text("error"), Text("code")}, true),
    Made("Health", {Text("status")}),
    Made("Source", {Maybe(Text("tool", kMaxSource)), Maybe(Text("tool_call_id", kMaxSource)),
                    Maybe(Text("rule", kMaxSource)), Maybe(Text("origin", kMaxSource))}),
    Made("SummaryMessage", {Must(Text("role")), Must(Text("content"))}, true),
    Made("Session", {Text("id"), Text("project"), Time("started_at"), Whole("message_count"),
                     Maybe(Time("ended_at")), Maybe(Text("summary")), Maybe(Text("predecessor"))}),
    Made("EndedSession",
         {Text("session_id"), Text("summary"), Whole("message_count"), Whole("tool_results")}),
    Made("SavedObservation", {Whole("id"), OneOf("action", "created|updated|deduplicated"),
                              Whole("revision_count"), Whole("duplicate_count")}),
    Made("Observation", kObservation),
    Made("HiddenObservation", With(kObservation, {Time("hidden_at")})),
    Made("Revision", {Whole("revision"), Text("type"), Text("title"), Text("content"), kTexts,
                      kTrust, Time("written_at"), Maybe(Time("replaced_at"))}),
    Made("Quote", {Text("place"), Text("name"), Text("how")}),
    Made("Quotes",
         {List("left", "Quote"), List("titles", "text"), List("texts", "text"), kPartial}),
    Made("Scores", {Number("lexical"), OrNull(Number("similarity")), Maybe(Number("soft")),
                    Maybe(Number("session")), Maybe(Number("answer"))}),
    Made("Hit",
         {Whole("id"), Text("type"), Text("title"), Text("content"), Number("rank"), Text("method"),
          Text("topic_key"), Time("created_at"), kTexts, Text("scope"), Text("project"),
          Text("session_id"), Whole("revision_count"), kTrust, kOrigin, kScores}),
    Made("Recalled", {Whole("id"), Text("type"), Text("title"), Text("content"), Number("rank"),
                      Text("method"), Text("scope"), Text("session_id"), Time("created_at"),
                      Whole("revision_count"), kTrust, kOrigin, kScores}),
    Made("SessionSummary", {Text("id"), Text("summary"), Maybe(Time("ended_at"))}),
    Made("Context",
         {List("recent_sessions", "SessionSummary"), List("recent_observations", "Recalled"),
          Maybe(List("due", "DueTrace")), kPartial}),
    Made("Stats", {Whole("total_sessions"), Whole("total_observations"), List("projects", "text")}),
    // More counts are there when an import has rows of their kind.
    Made("ImportReport",
         {Whole("imported"), Whole("imported_sessions"), Whole("imported_observations"),
          Whole("skipped"), List("errors", "any")},
         true),
    Made("RetentionRule", {Maybe(Text("type", kMaxType)), Maybe(OneOf("scope", "project|global")),
                           Maybe(Text("ttl")), Maybe(Whole("maxRows"))}),
    Made("Retention", {Text("project"), List("retention", "RetentionRule")}),
};

const Fields kItemFields = With({Text("key"), Any("value"), Object("metadata"), Time("created"),
                                 Time("accessed"), Whole("ttl"), Whole("version")},
                                {});
const Fields kEpisodeFields =
    With({Whole("id"), Text("conversation_id"), Text("agent_id"), OrNull(Text("user_id")),
          Text("summary"), List("key_decisions", "any"), List("entities", "any"),
          List("tools_used", "text"), Object("metadata"), Time("created_at")},
         {});

const std::vector<Shape> kItemShapes = {
    Made("StoreRule", {Maybe(Text("match")), Maybe(Whole("minLength"))}),
    Made("Item", kItemFields),
    Made("FoundItem", With(kItemFields, {Number("score"), Text("method")})),
    Made("FoundItems", {List("items", "FoundItem"), kPartial}),
    Made("RenderedItems", {Text("text"), Text("suggested_role"), List("items", "text")}),
    Made("Considered", {Flag("store"), Text("rule"), Text("key")}),
    Made("SavedEpisode", {Whole("id"), Time("created_at")}),
    Made("FoundEpisode", With(kEpisodeFields, {Number("similarity"), Text("method")})),
    Made("FoundEpisodes", {List("results", "FoundEpisode")}),
    Made("Episode", kEpisodeFields),
    Made("Episodes", {Text("conversation_id"), List("memories", "Episode")}),
    Made("SavedShared", {Text("key"), Whole("version")}),
};

const Fields kTraceFields =
    With({Text("id"), OneOf("type", kTraceKinds), OneOf("scope", kTraceScopes), Text("scopeId"),
          Text("content"), Number("strength"), kTexts, Object("emotions"), Object("metadata"),
          Whole("createdAt"), Whole("lastAccessed"), Whole("retrievalCount"),
          Whole("observationId"), Text("project"), kOrigin, Whole("revisions"),
          Maybe(Whole("remindAt")), Maybe(Whole("deletedAt")), Maybe(Text("reason"))},
         {});
const Fields kRunCounts = {Whole("pruned"), Whole("merged"), Whole("strengthened"),
                           Whole("derived"), Whole("compacted")};
const Fields kRunFields =
    With(kRunCounts, {Whole("durationMs"), OrNull(Text("runId")), Flag("dryRun"), Text("derive"),
                      Maybe(Flag("busy")), kPartial});

const std::vector<Shape> kTraceShapes = {
    Made("IngestSettings", {Maybe(Object("storage")), Maybe(Object("personality"))}, true),
    Made("SavedTrace", {Text("traceId")}),
    Made("DueTrace", kTraceFields),
    Made("DueTraces", {List("traces", "DueTrace")}),
    Made("Edge", {Text("to"), Text("kind"), Number("weight")}),
    Made("WholeTrace", With(kTraceFields, {List("edges", "Edge"), OrNull(Text("mergedInto")),
                                           List("sources", "text")})),
    Made("ChangedTrace", {Flag("updated")}),
    Made("DeletedTrace", {Flag("deleted")}),
    Made("MergedTraces", {Text("mergedTraceId"), Whole("sourcesDeleted")}),
    Made("RestoredTraces", {List("restored", "text")}),
    Made("TraceScores",
         {Number("lexical"), Number("similarity"), Number("strength"), Number("emotion"),
          Number("recency"), Number("graph"), Number("importance")}),
    Made("FoundTrace",
         {Text("id"), Text("content"), Text("type"), Text("scope"), Number("strength"), kTexts,
          Number("score"), Object("scores", "TraceScores"), kOrigin}),
    Made("FoundTraces", {List("results", "FoundTrace"), kPartial}),
    Made("RunCounts", kRunCounts),
    Made("Run", kRunFields),
    Made("LoggedRun", With(kRunFields, {Whole("startedAt"), OrNull(Whole("undoneAt"))})),
    Made("Runs", {List("runs", "LoggedRun")}),
    Made("OriginalText", {OrNull(Text("verbatimContent")), OrNull(Whole("archivedAt"))}),
    Made("Turn", {Text("turn")}),
    Made("TurnState",
         {OneOf("state", "pending|done|failed"), List("facts", "any"), Maybe(Text("reason"))}),
};

const Fields kBlockFields = With(
    {Whole("block"), Text("query"), OneOf("state", "open|closed"), Text("summary"), Whole("tokens"),
     Object("tools"), Whole("from"), Whole("to"), Time("opened_at"), OrNull(Time("closed_at"))},
    {});
const Fields kCheckpointFields = {Whole("generation"), Whole("step"), Whole("bytes"),
                                  Text("sha256"), Time("expires_at")};
const Fields kSavedAt = With(kCheckpointFields, {Time("saved_at")});
const Fields kLedgerEntry = {Text("item"), Text("value"), Whole("turn"), Time("marked_at")};

const std::vector<Shape> kConversationShapes = {
    Made("Message", {Must(OneOf("role", "user|assistant|tool|system")), Maybe(Text("content")),
                     Maybe(Whole("sequence")), Maybe(List("tool_calls", "any")),
                     Maybe(Text("tool_call_id")), Maybe(Flag("is_error"))}),
    Made("Conversation",
         {Text("id"), Text("conversation"), Text("memory_session_id"), Text("state"),
          Time("created_at"), Time("updated_at"), Whole("message_count"), Whole("turn")},
         true),
    Made("Conversations", With({List("conversations", "Conversation")}, kPage)),
    Made("Messages", With({Text("conversation"), Text("memory_session_id"), Text("state"),
                           Object("fields"), Whole("last"), List("messages", "Message")},
                          kPage)),
    Made("Appended", {Whole("count"), Whole("last")}),
    Made("BegunBlock", {Whole("block")}),
    Made("Block", kBlockFields),
    Made("Blocks", With({Text("conversation"), List("blocks", "Block")}, kPage)),
    Made("BlockMessages", With(With(kBlockFields, {List("messages", "Message")}), kPage)),
    Made("PromptContext", {List("messages", "Message"), Whole("tokens"), Whole("budget"),
                           List("blocks", "whole"), List("left_out", "whole"), kPartial}),
    Made("RenderedTask", {Text("text"), Text("suggested_role"), Whole("chars"), kPartial}),
    Made("PlanStep",
         {Text("text", conversation::kMostStepCharacters),
          Maybe(OneOf("status", "pending|in_progress|completed|cancelled")), Maybe(Text("id"))}),
    Made("Plan", {Maybe(Text("goal", conversation::kMostGoalCharacters)),
                  Maybe(List("steps", "PlanStep", conversation::kMostPlanSteps))}),
    Made("TaskBudget", {Maybe(Whole("used_tokens", 0, conversation::kMostTokens)),
                        Maybe(Whole("window_tokens", 0, conversation::kMostTokens))}),
    Made("Snapshot", {Text("task"), List("files_read", "text"), List("files_modified", "text"),
                      Object("plan", "Plan")}),
    Made("SavedCheckpoint", kCheckpointFields),
    Made("CheckpointRow", kSavedAt),
    Made("Checkpoints", {Text("conversation"), List("checkpoints", "CheckpointRow")}),
    Made("Checkpoint",
         With(With(kSavedAt, {Text("conversation"), List("messages", "object"),
                              Maybe(Object("memory")), Maybe(Object("tool_state")),
                              Maybe(Whole("messages_removed")), Maybe(List("skipped", "any"))}),
              kPage)),
    Made("WorkingMemory",
         {Text("conversation_id"), Object("fields"), Whole("bytes"), Whole("version"),
          OrNull(Whole("ttl_seconds")), OrNull(Time("expires_at"))}),
    Made("DeletedFields", {Whole("deleted")}),
    Made("LedgerEntry", kLedgerEntry),
    Made("Ledger", With({Text("conversation"), List("items", "LedgerEntry")}, kPage)),
    Made("LedgerAnswer",
         {Text("conversation"), Text("item"), Flag("injected"), Maybe(Flag("evicted")),
          Maybe(Text("value")), Maybe(Whole("turn")), Maybe(Time("marked_at"))}),
};

}  // namespace

const std::vector<Shape>& Shapes() {
  static const std::vector<Shape> all =
      Joined({kObservationShapes, kItemShapes, kTraceShapes, kConversationShapes});
  return all;
}

}  // namespace api
