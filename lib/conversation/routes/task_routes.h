// The routes of a conversation's task state: text, snapshot, and reports of agents without hooks.
#pragma once

#include <vector>

#include "lib/conversation/routes/host.h"

namespace conversation {

std::vector<HostedRoute> TaskRoutes();

}  // namespace conversation
