// Routes of conversations that only the server has; a sidecar prunes its own by its policy.
#pragma once

#include "memory/api/handlers.h"

namespace memory {

http::Response DeleteConversation(const Api& api, const http::Request& request);

}  // namespace memory
