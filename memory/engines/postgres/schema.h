// The schema of the shared engine: tables, views, fences, triggers, functions.
#pragma once

#include "lib/base/result.h"
#include "lib/sql/database.h"

namespace memory {

// Brings the schema of the database to that of this program; any number of programs at a time. One
// step is one transaction: killed at any point, the next call goes on. kInvalid: a newer program
// made a step that this one cannot work with.
base::Status MigrateSchema(sql::Database& database);

}  // namespace memory
