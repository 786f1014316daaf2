// The tables of what states a fact in Chinese and Japanese. Not for how they are read.
#pragma once

#include <cstddef>
#include <vector>

#include "memory/extract/grammar/fact.h"

namespace memory {

// `begins` stands at the beginning, `has` at most `within` bytes behind it, `ends` anywhere behind
// both. Each a list by '|'; empty: anything. `anyone`: the assistant may say it too.
struct Sign {
  const char *begins, *has;
  size_t within;
  const char* ends;
  FactCategory category;
  double importance;
  bool anyone = false;
};

const std::vector<Sign>& ChineseSigns();
const std::vector<Sign>& JapaneseSigns();

}  // namespace memory
