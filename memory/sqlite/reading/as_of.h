// Reads as of an earlier time: texts that were superseded since. Rows that did not change since are
// found like all others.
#pragma once

#include <string>
#include <vector>

#include "memory/sqlite/tables/search_scope.h"

namespace memory {

// The order of lists by recency.
bool IsNewer(const api::Observation& a, const api::Observation& b);

// A text by its place: of a row as it is (revision 0), or as it was.
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
base::Result<SupersededTexts> FindSuperseded(sqlite::Database& database, const SearchScope& scope,
                                             const Filter& filter, int64_t deadline_ms);

struct RankedText {
  Text text;
  double rank = 0;
};
struct RankedAsOf {
  std::vector<RankedText> texts;
  bool partial = false;  // more bytes of texts than are looked at
};
// One ranking over texts of both kinds: matches and topic keys, best first. `matches` are rows that
// the live index found, best first; they keep their order when no replaced text matches. Texts are
// read one by one and not kept. The limits of `database` end it too.
base::Result<RankedAsOf> RankAsOf(sqlite::Database& database, std::vector<RankedText> matches,
                                  const SupersededTexts& replaced, const std::string& question,
                                  bool operators);

// The row that said it, as it was then.
base::Result<api::Observation> LoadText(sqlite::Database& database, const Text& text);

}  // namespace memory
