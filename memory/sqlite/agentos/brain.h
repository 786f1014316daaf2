// Reads an SQLite brain of AgentOS (memory_traces and related tables), an untrusted file.
#pragma once

#include <memory>

#include "lib/sqlite/database.h"
#include "memory/store/transfers.h"

namespace memory {

// Whether the file is one; reads only its schema.
bool IsBrain(sqlite::Database& file);

// `file` is opened as kForeign. kInvalid: the schema can run code (a trigger, a view, a constraint
// or an index with an expression), a column is missing, or a page is corrupt.
base::Result<std::shared_ptr<BrainCursor>> OpenBrainIn(sqlite::Database file);

}  // namespace memory
