// The routes of AEGIS working memory: /working-memory/{conversation_id}.
#pragma once

#include <vector>

#include "lib/conversation/routes/host.h"

namespace conversation {

std::vector<HostedRoute> FieldRoutes();

}  // namespace conversation
