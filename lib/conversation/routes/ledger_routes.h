// The routes of the injection ledger: GET /ledger/{conversation} and POST …/check, …/mark, …/evict.
#pragma once

#include <vector>

#include "lib/conversation/routes/host.h"

namespace conversation {

std::vector<HostedRoute> LedgerRoutes();

// Checks an item or a value. kInvalid: blank or too long.
base::Status CheckLedgerText(const char* field, const std::string& text);

}  // namespace conversation
