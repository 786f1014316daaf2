// Reads the fact that a clause states: finds its pattern, checks the words that a pattern cannot
// see, and tells the fact in the third person. Pure.
#pragma once

#include "memory/extract/english/clauses.h"
#include "memory/extract/english/third_person.h"
#include "memory/extract/grammar/fact.h"

namespace memory {

// False if the clause states no fact; `fact` is then unspecified.
bool ReadClause(const Utterance& utterance, const Clause& clause, FactCandidate& fact);

}  // namespace memory
