// Finds the row of a session that says already what a write says, in other words (same_fact.h), and
// decides what becomes of the write. An agent that notes what its user stated makes no second row.
#pragma once

#include <cstdint>
#include <optional>

#include "lib/api/memory_api.h"
#include "memory/model/same_fact.h"
#include "memory/rows/observations.h"

namespace memory {

enum class RetellStep {
  kCount,          // the row says all of it: counts a duplicate
  kUpdate,         // updates the row, whose text becomes a revision
  kKeepInHistory,  // a user's row, which an agent words otherwise: the agent's text is a revision
};
struct SaidBefore {
  RowId row = 0;
  RetellStep step = RetellStep::kCount;
  bool gets_topic = false;  // the row has no topic key yet, and the write brings one
};

// Whether a write takes part: what an agent saves, and what a rule took from a user's prompt. Not
// what a client saves for itself, nor digests.
bool MayRetell(const api::NewObservation& made);

// The newest of the session's last 64 rows that says it. Same project and scope, written by the
// user or an agent; an agent's row has the type of the write, and no other topic key. nullopt also
// if the write says more than a user's row: it is a memory of its own.
base::Result<std::optional<SaidBefore>> FindSaid(Observations& rows,
                                                 const api::NewObservation& made,
                                                 const SaidFact& said, const Location& location);

}  // namespace memory
