// Which rules of retention the memory server was told, for which project and where: kept, so that
// they can be taken back by a process that never saw the policy that they came from. Calls run
// inside the caller's transaction.
#pragma once

#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/sqlite/database.h"

namespace sidecar {

extern const char* const kRetentionStep;  // a migration

struct RetentionTold {
  std::string project, destination, rules;  // rules: the JSON list; destination: a base URL
};
base::Result<std::vector<RetentionTold>> ReadRetentionTold(sqlite::Database& db);
// Empty rules: nothing is told there any more.
base::Status NoteRetentionTold(sqlite::Database& db, const RetentionTold& told);

}  // namespace sidecar
