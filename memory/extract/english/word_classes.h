// Classes of English words that the patterns of English are made of ("@past"). By small lists of
// our own and by endings, not a dictionary. Pure.
#pragma once

#include <vector>

#include "memory/extract/grammar/pattern.h"

namespace memory {

const std::vector<WordClass>& EnglishClasses();

}  // namespace memory
