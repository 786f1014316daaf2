// The rows of conversations, their blocks, tasks, checkpoints, working memory and ledger, which a
// sidecar serves from its own state.db.
#include "lib/api/operations/fields_of_all.h"
#include "lib/api/operations/operations.h"
#include "lib/conversation/checkpoint/checkpoint.h"
#include "lib/conversation/route_limits.h"
#include "lib/conversation/task/plan.h"
#include "lib/conversation/task/task_state.h"
#include "lib/conversation/working/fields.h"
#include "lib/http/message/page_query.h"

namespace api {
namespace {

// The objects of answers, and those inside bodies.
const FieldList kBlockFields = With(
    {Whole("block"), Text("query"), OneOf("state", "open|closed"), Text("summary"), Whole("tokens"),
     Object("tools"), Whole("from"), Whole("to"), Time("opened_at"), OrNull(Time("closed_at"))},
    {});
const FieldList kCheckpointFields = {Whole("generation"), Whole("step"), Whole("bytes"),
                                     Text("sha256"), Time("expires_at")};
const FieldList kSavedAt = With(kCheckpointFields, {Time("saved_at")});
const FieldList kLedgerEntry = {Text("item"), Text("value"), Whole("turn"), Time("marked_at")};

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

using conversation::kMaxMessageNumber;

constexpr Field kPageLimit = Whole("limit", 1, http::kMostOfAPage);
constexpr Field kPageCursor = Whole("cursor");
constexpr Field kMessageNumber = Whole("", 1, kMaxMessageNumber);

constexpr Field Named(std::string_view name, Field field) {
  field.name = name;
  return field;
}

const std::vector<Operation> kMessageRows = {
    Get("list_conversations", "/conversations", "Conversations, the last used first, in pages.",
        {Text("state"), kPageLimit, kPageCursor}, {{200, "Conversations"}}),
    Get("get_current_conversation", "/conversations/current", "The newest open conversation.", {},
        {{200, "Conversation"}, {404, "Error"}}),
    Get("get_messages", "/conversations/{id}/messages",
        "Messages by number, or the newest that fit a number of tokens.",
        {kConversationId, Whole("max_tokens", 0, conversation::kMaxWindowTokens),
         Named("from", kMessageNumber), Named("to", kMessageNumber), Named("limit", kMessageNumber),
         Named("newest", kMessageNumber), Whole("max_bytes", 1, http::kMostAnswerBytes),
         kPageCursor},
        {{200, "Messages"}}),
    Row("append_messages", "POST", "/conversations/{id}/messages",
        "Appends messages, and fields of the runtime.", {kConversationId},
        {Must(List("messages", "Message"))
             .Example(R"([{"role": "user", "content": "look"}, {"role": "assistant", )"
                      R"("content": "x", "tool_calls": [{"id": "c1", "type": "function", )"
                      R"("function": {"name": "bash", "arguments": "{}"}}]}])"),
         Object("toolMeta").Example(R"({"c1": {}})"), Any("delegation")},
        {{200, "Appended"}}, {}, 0, conversation::kMaxMessagesBody),
    Row("set_conversation_state", "PUT", "/conversations/{id}/state",
        "Opens or ends a conversation, and sets fields of the runtime.", {kConversationId},
        {OneOf("state", "open|ended").Example("open")}, {{200, "Conversation"}}),
    Row("delete_conversation", "DELETE", "/conversations/{id}",
        "Removes a conversation with all that is kept about it.", {kConversationId}, {},
        {{204, ""}}, {}, kNotInSidecar),
};

const std::vector<Operation> kBlockRows = {
    Row("begin_block", "POST", "/conversations/{id}/blocks",
        "Begins a block, and closes the one before.", {kConversationId}, {Any("reserved")},
        {{201, "BegunBlock"}}),
    Row("close_block", "POST", "/conversations/{id}/blocks/close", "Closes the open block.",
        {kConversationId}, {Text("outcome").Example("done")}, {{200, "Block"}, {409, "Error"}}),
    Get("list_blocks", "/conversations/{id}/blocks", "The blocks of a conversation, in pages.",
        {kConversationId, kPageLimit, kPageCursor}, {{200, "Blocks"}}),
    Get("get_block", "/conversations/{id}/blocks/{n}",
        "A block with its messages, original or compact.",
        {kConversationId, Whole("n").Example("0"), OneOf("form", "original|compact"), kPageLimit,
         kPageCursor},
        {{200, "BlockMessages"}, {409, "Error"}, {413, "Error"}}),
    Get("get_conversation_context", "/conversations/{id}/context",
        "The blocks that fit the window of a model.",
        {kConversationId,
         Must(Whole("max_tokens", 0, conversation::kMaxWindowTokens)).Example("9000")},
        {{200, "PromptContext"}, {413, "Error"}}),
};

constexpr Field kTask = Text("task").Example("t");
constexpr Field kRead = List("files_read", "text").Example(R"(["a"])");
constexpr Field kModified = List("files_modified", "text").Example(R"(["b"])");
constexpr Field kPlan =
    Object("plan", "Plan")
        .Example(R"({"goal": "g", "steps": [{"text": "one", "status": "pending"}]})");
const std::vector<Operation> kTaskRows = {
    Get("render_task", "/conversations/{id}/render", "The task as text for a prompt.",
        {kConversationId, Whole("max_chars", 0, conversation::kMaxRenderedCharacters)},
        {{200, "RenderedTask"}}),
    Get("get_snapshot", "/conversations/{id}/snapshot", "The task as a value.", {kConversationId},
        {{200, "Snapshot"}}),
    Row("put_snapshot", "PUT", "/conversations/{id}/snapshot",
        "Starts with the task of another conversation.", {kConversationId},
        {kTask, kRead, kModified, kPlan}, {{200, "Snapshot"}}),
    Row("put_working", "PUT", "/conversations/{id}/working", "Changes the task.", {kConversationId},
        {kTask, kRead, kModified, List("actions", "text").Example(R"(["run"])"), kPlan,
         Object("budget", "TaskBudget").Example(R"({"used_tokens": 1, "window_tokens": 10})")},
        {{200, "Snapshot"}}),
    Row("save_checkpoint", "PUT", "/conversations/{id}/checkpoint",
        "Saves where an agent goes on after a crash.", {kConversationId},
        {Must(Whole("step", 0, conversation::kMaxCheckpointStep)).Example("1"),
         List("messages", "object").Example(R"([{"role": "user", "content": "look"}])"),
         Object("memory").Example(R"({"a": 1})"), Object("tool_state").Example(R"({"b": [2]})"),
         Duration("ttl").Example("\"24h\"")},
        {{200, "SavedCheckpoint"}}, {}, 0, conversation::kMaxCheckpointBody),
    Get("get_checkpoint", "/conversations/{id}/checkpoint", "The last sound checkpoint, in pages.",
        {kConversationId, Whole("generation", 1), kPageCursor}, {{200, "Checkpoint"}}),
    Get("list_checkpoints", "/conversations/{id}/checkpoints", "The generations of checkpoints.",
        {kConversationId}, {{200, "Checkpoints"}}),
};

constexpr Field kFieldsId = Named("conversation_id", kConversationId);
const std::vector<Operation> kWorkingRows = {
    Get("get_working_memory", "/working-memory/{conversation_id}",
        "The fields of a conversation; they live on from now.", {kFieldsId},
        {{200, "WorkingMemory"}}, {}, kOfAegis),
    Row("put_working_memory", "PUT", "/working-memory/{conversation_id}", "Sets fields by name.",
        {kFieldsId},
        {Must(Object("fields", "", conversation::kMaxWorkingBytes))
             .Example(R"({"scratchpad": "s", "entities": [{"a": 1}], "n": 1})"),
         Whole("ttl_seconds", 1, conversation::kMaxFieldTtlSeconds).Example("60")},
        {{200, "WorkingMemory"}}, {}, kIfMatch | kOfAegis, conversation::kMaxFieldBody),
    Row("delete_working_memory", "DELETE", "/working-memory/{conversation_id}",
        "Deletes fields by name, or all.", {kFieldsId, Text("fields")},
        {List("fields", "text").Example(R"(["absent"])")}, {{200, "DeletedFields"}}, {}, kOfAegis),
};

constexpr Field kLedgerId = Named("conversation", kConversationId);
const std::vector<Field> kMark = {
    Must(Text("item", conversation::kMaxLedgerText)).Example("skill:x"),
    Text("value", conversation::kMaxLedgerText).Example("v")};
const std::vector<Operation> kLedgerRows = {
    Get("list_ledger", "/ledger/{conversation}",
        "What a conversation has in its transcript, in pages.", {kLedgerId, kPageLimit, kCursor},
        {{200, "Ledger"}}, {}, kOfAegis),
    Row("mark_in_ledger", "POST", "/ledger/{conversation}/mark", "Marks an item as injected.",
        {kLedgerId}, kMark, {{200, "LedgerAnswer"}}, {}, kOfAegis),
    Row("check_ledger", "POST", "/ledger/{conversation}/check", "Whether an item is marked.",
        {kLedgerId}, kMark, {{200, "LedgerAnswer"}}, {}, kOfAegis),
    Row("evict_from_ledger", "POST", "/ledger/{conversation}/evict", "Removes the mark of an item.",
        {kLedgerId}, kMark, {{200, "LedgerAnswer"}}, {}, kOfAegis),
};

}  // namespace

std::vector<Shape> ConversationShapes() { return kConversationShapes; }

std::vector<Operation> ConversationOperations() {
  std::vector<Operation> rows =
      Joined({kMessageRows, kBlockRows, kTaskRows, kWorkingRows, kLedgerRows});
  for (Operation& row : rows)
    if (!row.Has(kNotInSidecar)) row.traits |= kHosted;
  return rows;
}

}  // namespace api
