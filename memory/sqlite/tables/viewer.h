// Which traces a caller sees. Other observations are visible to everybody in their project.
#pragma once

#include <span>
#include <unordered_set>

#include "lib/sql/database.h"
#include "memory/store/reads.h"

namespace memory {

// The trace `t` of a row `o` belongs to one user, Agent or conversation. An id made of a number is
// that of an observation of the whole project.
#define MEMORY_OWNED_TRACE                                                           \
  "SELECT 1 FROM traces t WHERE t.slot = o.slot AND t.scope IN ('user', 'persona', " \
  "'thread') AND substr(t.uuid, 1, 27) <> 'mt_00000000-0000-8000-8000-'"

// The condition that a row `o` of observations belongs to its whole project: it is no trace of one
// user, Agent or conversation. What a look-up by text or key finds for a writer must be that: its
// writer could not read the other rows back, and would learn what another stored.
#define MEMORY_FOR_ALL "AND NOT EXISTS(" MEMORY_OWNED_TRACE ") "

// The condition that a viewer sees a row `o` of observations; BindViewer binds its three
// parameters. NULL: an unknown viewer, who sees all.
#define MEMORY_SEEN_BY(user, agent, conversation)                                        \
  "AND (CAST(" user " AS TEXT) IS NULL OR NOT EXISTS(" MEMORY_OWNED_TRACE                \
  " AND t.scope_id <> CASE t.scope WHEN 'user' THEN " user " WHEN 'persona' THEN " agent \
  " ELSE " conversation " END)) "

// The same of a session `s`: one that only its rows made shows whose they are. Of a long one the
// first and the last rows decide.
#define MEMORY_ANY_SEEN(order, user, agent, conversation)                               \
  "EXISTS(SELECT 1 FROM (SELECT slot FROM observations WHERE session = s.number ORDER " \
  "BY position " order " LIMIT 64) o WHERE true " MEMORY_SEEN_BY(user, agent, conversation) ")"
#define MEMORY_SESSION_SEEN_BY(user, agent, conversation)                          \
  "AND (CAST(" user                                                                \
  " AS TEXT) IS NULL OR s.implied = 0 OR s.summarized_ms > 0 OR " MEMORY_ANY_SEEN( \
      "", user, agent, conversation) " OR " MEMORY_ANY_SEEN("DESC", user, agent,   \
                                                            conversation) ") "

sql::Statement& BindViewer(sql::Statement& statement, const std::optional<Viewer>& viewer);

base::Result<bool> IsSeenBy(sql::Database& database, const Viewer& viewer, int64_t slot);
// Those of these rows that the viewer sees.
base::Result<std::unordered_set<int64_t>> SeenBy(sql::Database& database, const Viewer& viewer,
                                                 std::span<const int64_t> slots);

}  // namespace memory
