// Decodes, removes, encodes.
#include "lib/conversation/routes/removal.h"
#include "memory/api/handlers.h"

namespace memory {
namespace {

http::Response DeleteConversation(const Api& api, const http::Request& request) {
  const base::Status removed = [&]() -> base::Status {
    ASSIGN_OR_RETURN(const std::string id, conversation::ConversationId(request));
    ASSIGN_OR_RETURN(const bool any,
                     conversation::RemoveWhole(*api.store.Conversations(api.caller), id));
    return any ? base::Status() : conversation::NoConversation(id);
  }();
  return removed ? http::EmptyResponse(204) : http::ErrorResponse(removed.error());
}

}  // namespace

HandlerTable ConversationHandlers() {
  return {
      {"delete_conversation", DeleteConversation},
  };
}

}  // namespace memory
