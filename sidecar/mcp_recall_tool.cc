// The newest page when nothing else is asked for.
#include "sidecar/mcp_recall_tool.h"

#include <algorithm>
#include <utility>

#include "lib/base/text/inert.h"
#include "sidecar/mcp_tool_text.h"

namespace sidecar {
namespace {

using base::Json;

constexpr int64_t kPageMessages = 50;
constexpr size_t kPageBytes = 64 << 10;  // of messages; one message is always whole

base::Result<std::string> ConversationOf(const ToolContext& context, const Json& arguments) {
  if (arguments.contains("conversation")) return arguments.at("conversation").get<std::string>();
  ASSIGN_OR_RETURN(
      const Json current,
      context.twins.Ask(context.request, {"GET", "/conversations/current", {}, nullptr}));
  return base::StringAt(current, {"id"});
}

}  // namespace

base::Result<ToolAnswer> RecallMessages(const ToolContext& context, const Json& arguments) {
  ASSIGN_OR_RETURN(const std::string id, ConversationOf(context, arguments));
  TwinCall call{"GET", "/conversations/" + http::PercentEncode(id) + "/messages", {}, nullptr};
  const std::string page_messages = std::to_string(kPageMessages);
  call.query = {{"limit", page_messages}, {"max_bytes", std::to_string(kPageBytes)}};
  for (const char* name : {"from", "to"}) {
    if (arguments.contains(name)) {
      call.query.emplace_back(name, std::to_string(arguments.at(name).get<int64_t>()));
    }
  }
  if (!arguments.contains("from")) call.query.emplace_back("newest", page_messages);
  ASSIGN_OR_RETURN(Json page, context.twins.Ask(context.request, std::move(call)));
  const int64_t last = page.value("last", int64_t{0});
  if (arguments.contains("from") && arguments.contains("to") &&
      arguments.at("from") > std::min(arguments.at("to").get<int64_t>(), last)) {
    return base::Error{base::Code::kInvalid,
                       "from must not be behind to; the last message is " + std::to_string(last)};
  }
  std::string text = MessagesText(id, page["messages"]);
  Json messages = Json::array();
  for (const Json& message : page["messages"]) {
    messages.push_back({{"sequence", message.value("sequence", int64_t{0})}});
  }
  Json structured = {
      {"conversation", base::Inert(id)}, {"last", last}, {"messages", std::move(messages)}};
  if (page.contains("next_cursor")) {
    const std::string next = page["next_cursor"];
    structured["next"] = std::stoll(next);
    text += "\nThere is more: go on with from " + next + ".";
  }
  return ToolAnswer{std::move(structured), std::move(text)};
}

}  // namespace sidecar
