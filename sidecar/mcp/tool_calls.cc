// Turns arguments into calls of the memory, and answers into text and metadata.
#include "sidecar/mcp/tool_calls.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "lib/api/memory_api.h"
#include "lib/api/query_operators.h"
#include "lib/base/text/inert.h"
#include "lib/base/text/text.h"
#include "sidecar/mcp/tool_text.h"
#include "sidecar/mcp/tool_words.h"
#include "sidecar/recall/prompt.h"
#include "sidecar/recall/recalled.h"
#include "sidecar/redaction/redacted_names.h"

namespace sidecar {
namespace {

using base::Json;

using Answer = base::Result<ToolAnswer>;

constexpr const char* kNothing = "Nothing in memory matches.";
constexpr int kDefaultContext = 5;

int64_t IdOf(const Json& arguments) { return arguments.at("id").get<int64_t>(); }

std::string SavedText(const Json& saved) {
  const std::string id = std::to_string(saved.value("id", int64_t{0}));
  const std::string action = base::StringAt(saved, {"action"});
  if (action == "updated") return "Memory " + id + " was updated; its old text is kept.";
  if (action == "deduplicated") return "Memory " + id + " says this already; it was counted.";
  return "Saved as memory " + id + ".";
}

constexpr int64_t kPageMessages = 50;
constexpr size_t kPageBytes = 64 << 10;  // of messages; a message is never cut

base::Result<std::string> ConversationOf(const ToolContext& context, const Json& arguments) {
  if (arguments.contains("conversation")) {
    return RedactId(context.call.policy->redactor, arguments.at("conversation"));
  }
  ASSIGN_OR_RETURN(auto current, context.conversations.Current());
  return std::move(current.id);
}

}  // namespace

Answer MemSave(const ToolContext& context, const Json& arguments) {
  Json body = *context.tool.input.Request(arguments).body;
  if (!body.contains("type")) body["type"] = "discovery";
  body["source"] = {{"tool", "mem_save"}};
  ASSIGN_OR_RETURN(const Json saved,
                   ReadAnswer(context.memory.Save(context.call, std::move(body))));
  ToolAnswer answer;
  answer.structured["queued"] = saved.value("queued", false);
  for (const char* field :
       {"id", "action", "revision_count", "duplicate_count", "scope", "scope_reason"}) {
    if (saved.contains(field)) answer.structured[field] = saved[field];
  }
  answer.text = saved.value("queued", false)
                    ? "Stored on disk: the memory server is unreachable and gets it as soon as it "
                      "is back. There is no id yet; do not save it again."
                    : SavedText(saved);
  const std::string reason = base::StringAt(saved, {"scope_reason"});
  if (!reason.empty()) answer.text += " Its scope is project: " + reason + ".";
  return answer;
}

Answer MemSearch(const ToolContext& context, const Json& arguments) {
  const std::string query = arguments.at("query");
  Forwarded request = context.tool.input.Request(arguments);
  const auto search = [&] { return ReadAnswer(context.memory.Forward(context.call, request)); };
  const bool operators = api::HasOperators(query);
  if (operators) request.query.emplace_back("syntax", "fts5");
  auto rows = search();
  // A query that does not parse as operators is searched as words.
  if (operators && !rows && rows.error().code == base::Code::kInvalid) {
    request.query.pop_back();
    rows = search();
  }
  if (!rows) return rows.error();
  std::string text = ListText(*rows, context.policy.budget_tokens, kNothing);
  if (const std::string notes = SearchNotes(query, *rows); !notes.empty()) text += "\n" + notes;
  return ToolAnswer{{{"results", ListMetadata(*rows)}}, std::move(text)};
}

Answer MemContext(const ToolContext& context, const Json& arguments) {
  Json asked = arguments;
  if (asked.contains("query"))
    asked["query"] = base::Prefix(base::StringAt(asked, {"query"}), api::kQueryCharacters);
  if (!asked.contains("limit"))
    asked["limit"] =
        context.policy.context_limit > 0 ? context.policy.context_limit : kDefaultContext;
  ASSIGN_OR_RETURN(const Json found, Ask(context, asked));
  // Like injections: only mem_search finds items that the policy does not admit.
  Recalled recalled;
  recalled.sessions = ReadSessions(found);
  Json rows = Json::array();
  for (const Json& row : found.value("recent_observations", Json::array())) {
    RecalledItem item = ReadItem(row);
    if (!MayInject(context.policy, item.trust)) continue;
    recalled.items.push_back(std::move(item));
    rows.push_back(row);
  }
  Json sessions = Json::array();
  for (const RecalledSession& session : recalled.sessions) {
    sessions.push_back({{"id", base::Inert(session.id)}});
  }
  std::string text = RenderInjection(recalled, {}, context.policy.budget_tokens).text;
  if (text.empty()) text = kNothing;
  return ToolAnswer{{{"sessions", std::move(sessions)}, {"observations", ListMetadata(rows)}},
                    std::move(text)};
}

Answer MemGet(const ToolContext& context, const Json& arguments) {
  ASSIGN_OR_RETURN(const Json row,
                   ReadAnswer(context.memory.Get(context.call, IdOf(arguments), std::nullopt)));
  return ToolAnswer{RowMetadata(row), WholeText(row)};
}

Answer MemUpdate(const ToolContext& context, const Json& arguments) {
  const Json patch = *context.tool.input.Request(arguments).body;
  if (patch.empty()) {
    return base::Error{base::Code::kInvalid, "give at least one of type, title, content, tags"};
  }
  ASSIGN_OR_RETURN(const Json row,
                   ReadAnswer(context.memory.Update(context.call, IdOf(arguments), patch)));
  return ToolAnswer{RowMetadata(row), WholeText(row)};
}

Answer MemDelete(const ToolContext& context, const Json& arguments) {
  const int64_t id = IdOf(arguments);
  const auto deleted = ReadAnswer(context.memory.Delete(context.call, id, false));
  if (!deleted) return deleted.error();
  return ToolAnswer{{{"id", id}, {"deleted", true}},
                    "Memory " + std::to_string(id) + " is hidden from now on."};
}

Answer MemTimeline(const ToolContext& context, const Json& arguments) {
  ASSIGN_OR_RETURN(const Json rows, ReadAnswer(context.memory.Timeline(
                                        context.call, arguments.at("observation_id").get<int64_t>(),
                                        context.tool.input.Request(arguments).query)));
  return ToolAnswer{{{"observations", ListMetadata(rows)}},
                    ListText(rows, context.policy.budget_tokens, kNothing)};
}

Answer MemSuggestTopicKey(const ToolContext& context, const Json& arguments) {
  const std::string title = arguments.at("title");
  const std::string key = TopicKeyFor(arguments.value("type", "discovery"), title);
  // Finds keys in use for similar subjects, which are better than a new one.
  Json in_use = Json::array(), shown = Json::array();
  if (context.policy.auto_search) {
    const auto rows = ReadAnswer(
        context.memory.Forward(context.call, {"search", {}, {{"q", title}, {"limit", "10"}}}));
    if (!rows && rows.error().code == base::Code::kInvalid) return rows.error();
    for (const Json& row : rows.value_or(Json::array())) {
      const std::string used = base::StringAt(row, {"topic_key"});
      if (used.empty()) continue;
      in_use.push_back({{"id", row["id"]}});
      shown.push_back({{"id", row["id"]}, {"title", used}, {"content", row["title"]}});
    }
  }
  std::string text = "topic_key " + key;
  if (!in_use.empty()) {
    text += "\nKeys in use for memories like it; take one if it is about the same thing:\n" +
            ListText(shown, context.policy.budget_tokens, "");
  }
  return ToolAnswer{{{"topic_key", key}, {"in_use", std::move(in_use)}}, std::move(text)};
}

MessageQuestion RequestedPage(const Json& arguments) {
  MessageQuestion question;
  question.limits = {kPageMessages, kPageBytes};
  question.from = arguments.value("from", int64_t{1});
  question.to = arguments.value("to", INT64_MAX);
  if (!arguments.contains("from")) question.newest = kPageMessages;
  return question;
}

base::Result<ToolAnswer> RecallMessages(const ToolContext& context, const Json& arguments) {
  ASSIGN_OR_RETURN(const std::string id, ConversationOf(context, arguments));
  MessageQuestion question = RequestedPage(arguments);
  if (arguments.contains("block")) {
    const int64_t block = arguments.at("block");
    ASSIGN_OR_RETURN(const auto range, context.conversations.BlockRange(id, block));
    question.newest.reset();  // a block is read from its beginning
    question.from = std::max(question.from, range.first);
    question.to = std::min(question.to, range.second);
  }
  ASSIGN_OR_RETURN(const auto found, context.conversations.Messages(id, question));
  const int64_t last = found.conversation.message_count;
  if (arguments.contains("from") && arguments.contains("to") &&
      arguments.at("from") > std::min(arguments.at("to").get<int64_t>(), last)) {
    return base::Error{
        base::Code::kInvalid,
        "from must not be greater than to; the last message is " + std::to_string(last)};
  }
  const Json messages = conversation::EncodeMessages(found.page);
  Json structured = {
      {"conversation", base::Inert(id)}, {"last", last}, {"messages", Json::array()}};
  for (const auto& message : found.page.messages) {
    structured["messages"].push_back({{"sequence", message.sequence}});
  }
  if (arguments.contains("block")) structured["block"] = arguments.at("block");
  std::string text = MessagesText(id, messages);
  if (const int64_t next = found.page.more; next != 0) {
    structured["next"] = next;
    text += "\nThere is more: go on with from " + std::to_string(next) +
            (arguments.contains("block") ? " and the same block." : ".");
  }
  return ToolAnswer{std::move(structured), std::move(text)};
}

}  // namespace sidecar
