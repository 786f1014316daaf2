// What was believed at an earlier time (as_of): texts that were replaced since. What was not
// replaced is read like everything else. For memory/store*.cc only.
#pragma once

#include <string>
#include <vector>

#include "memory/store_reach.h"

namespace memory {

// The order of lists by recency.
bool IsNewer(const api::Observation& a, const api::Observation& b);

struct Replaced {
  std::vector<api::Observation> rows;  // as they were then, the newest text first
  bool partial = false;                // there are more than are looked at, or the deadline came
};

// The rows of a reach that said something else at `filter.as_of_ms` than now. Rows that were
// deleted since are gone for every time (rulings K45).
base::Result<Replaced> ReplacedSince(sqlite::Database& database, const Reach& reach,
                                     const Filter& filter, int64_t deadline_ms);

// One ranking over rows of both kinds: matches and topic keys, best first. `matches` are rows that
// the live index found, best first; they keep their order when no replaced text matches.
// The limits of `database` end it too.
base::Result<std::vector<Found>> RankThen(sqlite::Database& database, std::vector<Found> matches,
                                          const Replaced& replaced, const std::string& text,
                                          bool operators);

}  // namespace memory
