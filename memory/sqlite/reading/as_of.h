// Reads as of an earlier time: finds texts superseded since. Unchanged rows are found like in any
// search.
#pragma once

#include <string>
#include <vector>

#include "memory/sqlite/tables/search_scope.h"

namespace memory {

// The order of lists by recency.
bool IsNewer(const api::Observation& a, const api::Observation& b);

// Names a text: the present one of a row (revision 0) or an earlier one.
struct Text {
  int64_t slot = 0, id = 0, revision = 0;
  int64_t written_ms = 0;
};

struct SupersededTexts {
  std::vector<Text> texts;  // as they were then, the newest first
  bool partial = false;     // the limit of texts or the deadline cut the list
};

// The rows of a scope whose text at `filter.as_of_ms` differs from today's. A row that was deleted
// since is missing at every time.
base::Result<SupersededTexts> FindSuperseded(sql::Database& database, const SearchScope& scope,
                                             const Filter& filter, int64_t deadline_ms);

struct RankedText {
  Text text;
  double rank = 0;
};
struct RankedAsOf {
  std::vector<RankedText> texts;
  bool partial = false;  // the limit of bytes cut the search
};
// Ranks present and superseded texts together: matches and topic keys, best first. `matches` are
// rows that the live index found, best first; they keep their order if no superseded text matches.
// Reads one text at a time. The deadline of `database` applies.
base::Result<RankedAsOf> RankAsOf(sql::Database& database, std::vector<RankedText> matches,
                                  const SupersededTexts& replaced, const std::string& question,
                                  bool operators);

// The row of a text, as of the earlier time.
base::Result<api::Observation> LoadText(sql::Database& database, const Text& text);

}  // namespace memory
