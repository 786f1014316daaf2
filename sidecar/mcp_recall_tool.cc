// recall: messages of the agent's own conversations as they were stored, a page at a time.
#include <algorithm>
#include <utility>

#include "sidecar/mcp_tool_calls.h"
#include "sidecar/mcp_tool_text.h"

namespace sidecar {
namespace {

using base::Json;

constexpr int64_t kPageMessages = 50;
constexpr size_t kPageBytes = 64 << 10;  // of messages; one message is always whole

struct Page {
  Json messages = Json::array();
  int64_t next = 0;  // the first that did not fit; 0: none
};

// Those from `from` to `to`, in order, as far as they fit.
Page Cut(const Json& messages, int64_t from, int64_t to) {
  Page page;
  size_t bytes = 0;
  for (const Json& message : messages) {
    const int64_t sequence = message.value("sequence", int64_t{0});
    if (sequence < from || sequence > to) continue;
    bytes += base::DumpJson(message).size();
    if (!page.messages.empty() && bytes > kPageBytes) {
      page.next = sequence;
      break;
    }
    page.messages.push_back(message);
  }
  return page;
}

base::Result<std::string> ConversationOf(const ToolContext& context, const Json& arguments) {
  if (arguments.contains("conversation")) return arguments.at("conversation").get<std::string>();
  ASSIGN_OR_RETURN(
      const Json current,
      context.twins.Ask(context.request, {"GET", "/conversations/current", {}, nullptr}));
  return base::StringAt(current, {"id"});
}

}  // namespace

base::Result<ToolAnswer> RecallMessages(const ToolContext& context, const Json& arguments) {
  if (arguments.contains("block")) {
    return base::Error{base::Code::kInvalid,
                       "there are no blocks of memory here yet; ask with from and to"};
  }
  ASSIGN_OR_RETURN(const std::string id, ConversationOf(context, arguments));
  const std::string path = "/conversations/" + http::PercentEncode(id) + "/messages";
  ASSIGN_OR_RETURN(const Json stored,
                   context.twins.Ask(context.request, {"GET", path, {}, nullptr}));
  const Json messages = stored.value("messages", Json::array());
  const int64_t last = messages.empty() ? 0 : messages.back().value("sequence", int64_t{0});
  const int64_t to = std::min(arguments.value("to", last), last);
  const int64_t from = arguments.value("from", std::max(int64_t{1}, to - kPageMessages + 1));
  if (from > to && arguments.contains("from") && arguments.contains("to")) {
    return base::Error{base::Code::kInvalid,
                       "from must not be behind to; the last message is " + std::to_string(last)};
  }
  Page page = Cut(messages, from, std::min(to, from + kPageMessages - 1));
  if (page.next == 0 && from + kPageMessages <= to) page.next = from + kPageMessages;
  std::string text = MessagesText(id, page.messages);
  Json structured = {{"conversation", id}, {"last", last}, {"messages", std::move(page.messages)}};
  if (page.next != 0) {
    structured["next"] = page.next;
    text += "\nThere is more: go on with from " + std::to_string(page.next) + ".";
  }
  return ToolAnswer{std::move(structured), std::move(text)};
}

}  // namespace sidecar
