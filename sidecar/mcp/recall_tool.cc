// Reads a page and fences it.
#include "sidecar/mcp/recall_tool.h"

#include <algorithm>
#include <utility>

#include "lib/base/text/inert.h"
#include "sidecar/mcp/tool_text.h"
#include "sidecar/redaction/redacted_names.h"

namespace sidecar {
namespace {

using base::Json;

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
