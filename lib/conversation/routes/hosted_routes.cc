// Joins the tables of routes.
#include "lib/conversation/routes/hosted_routes.h"

#include <iterator>

#include "lib/conversation/routes/block_routes.h"
#include "lib/conversation/routes/checkpoint_routes.h"
#include "lib/conversation/routes/conversation_routes.h"
#include "lib/conversation/routes/field_routes.h"
#include "lib/conversation/routes/ledger_routes.h"
#include "lib/conversation/routes/task_routes.h"

namespace conversation {

std::vector<HostedRoute> HostedRoutes() {
  std::vector<HostedRoute> routes;
  for (const auto& table : {BlockRoutes(), CheckpointRoutes(), ConversationRoutes(), FieldRoutes(),
                            LedgerRoutes(), TaskRoutes()})
    routes.insert(routes.end(), table.begin(), table.end());
  return routes;
}

}  // namespace conversation
