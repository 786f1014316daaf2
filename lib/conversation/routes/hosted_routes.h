// All routes about conversations that both programs serve.
#pragma once

#include <vector>

#include "lib/conversation/routes/host.h"

namespace conversation {

std::vector<HostedRoute> HostedRoutes();

}  // namespace conversation
