// What a clause that fits a pattern must have beyond it, so that its fact means something without
// the rest of the conversation. Pure.
#pragma once

#include "memory/extract/english/clauses.h"
#include "memory/extract/english/third_person.h"
#include "memory/extract/grammar/pattern.h"

namespace memory {

bool Accepts(const Told& told, const Clause& clause, const PatternMatch& match);

}  // namespace memory
