// The working-memory section of a conversation: text, snapshot, and what agents without hooks tell.
#pragma once

#include <vector>

#include "lib/conversation/routes/host.h"

namespace conversation {

std::vector<HostedRoute> TaskRoutes();

}  // namespace conversation
