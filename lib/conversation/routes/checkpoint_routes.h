// The routes of checkpoints: /conversations/{id}/checkpoint and …/checkpoints.
#pragma once

#include <vector>

#include "lib/conversation/routes/host.h"

namespace conversation {

std::vector<HostedRoute> CheckpointRoutes();

}  // namespace conversation
