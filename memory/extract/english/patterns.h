// English fact patterns. The first match wins, so specific patterns come before general ones. An
// importance of .7 or more is for facts that a person would write down; .4 is the threshold of
// storing by default. clauses.h finds clauses, clause_fact.h words the facts. Pure.
#pragma once

#include <cstddef>

#include "memory/extract/grammar/pattern.h"

namespace memory {

struct PatternRows {
  const PatternRow* rows;
  size_t count;
};
PatternRows EnglishWishes();      // corrections, likes, aims; come before the statements
PatternRows EnglishStatements();  // decisions, events, descriptions of people and things

const Patterns& EnglishPatterns();

}  // namespace memory
