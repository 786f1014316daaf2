// Code common to all hosted routes.
#include "lib/conversation/routes/host.h"

#include "lib/conversation/conversations.h"

namespace conversation {

using base::Result;

Result<Conversation> Host::Open(Rows& rows, const std::string& key) {
  ASSIGN_OR_RETURN(Conversation found, GetOrCreate(rows, key, NowMs()));
  if (found.state == "open") return found;
  RETURN_IF_ERROR(rows.UpdateConversation(key, {.state = "open"}));
  found.state = "open";
  return found;
}

Result<Host::Ending> Host::PrepareEnd(const std::string& key) {
  return Ending([key](Rows& rows) { return rows.UpdateConversation(key, {.state = "ended"}); });
}

Result<http::Response> AsResponse(const Result<base::Json>& answer) {
  if (!answer) return answer.error();
  return http::JsonResponse(200, *answer);
}

Result<std::string> ConversationId(const http::Request& request) {
  for (const char* name : {"conversation", "conversation_id", "id"}) {
    const auto found = request.parameters.find(name);
    if (found == request.parameters.end()) continue;
    RETURN_IF_ERROR(CheckConversationId(found->second));
    return found->second;
  }
  return base::Error{base::Code::kInternal, "the route names no conversation"};
}

base::Error NoConversation(const std::string& id) {
  return {base::Code::kNotFound, "no conversation \"" + id + "\""};
}

base::Status CheckConversationId(const std::string& id) {
  if (!id.empty() && id.size() <= kMaxConversationIdBytes) return {};
  return base::Error{base::Code::kInvalid, "a conversation id has 1 to " +
                                               std::to_string(kMaxConversationIdBytes) +
                                               " bytes, it has " + std::to_string(id.size())};
}

std::vector<HostedHandler> HostedHandlers() {
  std::vector<HostedHandler> routes;
  for (const auto& table : {BlockRoutes(), CheckpointRoutes(), ConversationRoutes(), FieldRoutes(),
                            LedgerRoutes(), TaskRoutes()})
    routes.insert(routes.end(), table.begin(), table.end());
  return routes;
}

}  // namespace conversation
