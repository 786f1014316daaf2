// Which traces a caller sees. Other observations are visible to everybody in their project.
#pragma once

#include "lib/sqlite/database.h"
#include "memory/store/reads.h"

namespace memory {

// The condition that a viewer sees a row `o` of observations; BindViewer binds its three
// parameters. NULL: an unknown viewer, who sees all.
#define MEMORY_SEEN_BY(user, agent, conversation)                                               \
  "AND (" user                                                                                  \
  " IS NULL OR NOT EXISTS(SELECT 1 FROM traces t WHERE t.slot = o.slot AND t.scope_id <> CASE " \
  "t.scope WHEN 'user' THEN " user " WHEN 'persona' THEN " agent                                \
  " WHEN 'thread' THEN " conversation " ELSE t.scope_id END)) "

sqlite::Statement& BindViewer(sqlite::Statement& statement, const std::optional<Viewer>& viewer);

base::Result<bool> IsSeenBy(sqlite::Database& database, const Viewer& viewer, int64_t slot);

}  // namespace memory
