// The routes of conversations and their messages: /conversations.
#pragma once

#include <vector>

#include "lib/conversation/routes/host.h"

namespace conversation {

std::vector<HostedRoute> ConversationRoutes();

}  // namespace conversation
