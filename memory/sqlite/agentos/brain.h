// A brain of AgentOS (memory_traces and the tables beside it). Nothing in it is trusted.
#pragma once

#include <memory>

#include "lib/sqlite/database.h"
#include "memory/store/transfers.h"

namespace memory {

// False: the file is something else. Its schema alone is read.
bool IsBrain(sqlite::Database& file);

// `file` is opened as kForeign. kInvalid: it could do more than hold rows (a trigger, a view, a
// constraint or an index that computes), a column is missing, or a page is damaged.
base::Result<std::shared_ptr<BrainCursor>> OpenBrainIn(sqlite::Database file);

}  // namespace memory
