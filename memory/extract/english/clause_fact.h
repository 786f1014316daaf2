// The fact that a clause states: the pattern that fits, what it needs, and its words told by
// somebody else. Pure.
#pragma once

#include "memory/extract/english/clauses.h"
#include "memory/extract/english/third_person.h"
#include "memory/extract/grammar/fact.h"

namespace memory {

// False, and `fact` is unspecified, when the clause states none.
bool ReadClause(const Told& told, const Clause& clause, FactCandidate& fact);

}  // namespace memory
