// Reads the SQLite file of claude-mem (sdk_sessions, observations, session_summaries,
// user_prompts), an untrusted file.
#pragma once

#include <memory>

#include "lib/sqlite/database.h"
#include "memory/store/transfers.h"

namespace memory {

// Whether the file is one; reads only its schema.
bool IsClaudeMem(sqlite::Database& file);

// `file` is opened as kForeign. kInvalid: one of these tables is a view, is virtual or computes a
// column, or a page is corrupt. Triggers and constraints of its schema have nothing to do when
// rows are read, and run nothing.
base::Result<std::shared_ptr<BrainCursor>> OpenClaudeMem(sqlite::Database file);

}  // namespace memory
