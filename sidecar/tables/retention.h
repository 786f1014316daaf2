// The retention rules that were sent to memory servers, by project and server, in state.db: a later
// process can withdraw rules of a policy that it never saw. Calls run inside the caller's
// transaction.
#pragma once

#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/sqlite/database.h"

namespace sidecar {

extern const char* const kRetentionStep;  // a migration

struct PublishedRetention {
  std::string project, destination, rules;  // rules: the JSON list; destination: a base URL
};
base::Result<std::vector<PublishedRetention>> ReadPublishedRetention(sqlite::Database& db);
// Empty rules: withdrawn.
base::Status SavePublishedRetention(sqlite::Database& db, const PublishedRetention& told);

}  // namespace sidecar
