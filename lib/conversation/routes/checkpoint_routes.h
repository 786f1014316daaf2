// Checkpoints of a conversation: saved in one commit, read with their checks.
#pragma once

#include <vector>

#include "lib/conversation/routes/host.h"

namespace conversation {

std::vector<HostedRoute> CheckpointRoutes();

}  // namespace conversation
