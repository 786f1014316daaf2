// The task states of conversations in SQLite, one row per conversation. Calls run inside the
// caller's transaction.
#pragma once

#include <cstdint>
#include <string>

#include "lib/base/result.h"
#include "lib/conversation/task/task_state.h"
#include "lib/sqlite/database.h"

namespace conversation {

extern const char* const kTaskStep;  // a migration

// Empty for an unknown conversation, and for a row that changed on disk (Database::TakeUnsoundRows
// names it).
base::Result<TaskState> ReadTask(sqlite::Database& db, const std::string& conversation);
base::Status WriteTask(sqlite::Database& db, const std::string& conversation,
                       const TaskState& state, int64_t now_ms);
base::Status RemoveTask(sqlite::Database& db, const std::string& conversation);

}  // namespace conversation
