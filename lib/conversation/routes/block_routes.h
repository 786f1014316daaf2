// The routes of blocks: POST and GET /conversations/{id}/blocks, POST …/blocks/close, GET
// …/blocks/{n} and GET …/context.
#pragma once

#include <vector>

#include "lib/conversation/routes/host.h"

namespace conversation {

std::vector<HostedRoute> BlockRoutes();

}  // namespace conversation
