// The tables of what states a fact in English. The first pattern that fits decides: what is narrow
// stands before what is wide. An importance of .7 and more is what a person would write down; .4 is
// the border that is stored by default. Not for how a clause is found or told.
#pragma once

#include <cstddef>

#include "memory/extract/grammar/pattern.h"

namespace memory {

struct PatternRows {
  const PatternRow* rows;
  size_t count;
};
PatternRows EnglishWishes();      // corrections, likes, aims; before the statements
PatternRows EnglishStatements();  // decisions, events, who somebody is, what a thing is

const Patterns& EnglishPatterns();

}  // namespace memory
