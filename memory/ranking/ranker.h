// Finds and ranks the rows of some ranges that match a query, best first, by words and by meaning.
// Ranges with a resident index (resident_indexes.h) are searched in memory, others by the engine;
// scoring.h, fusion.h and signals.h rank both.
#pragma once

#include <span>
#include <vector>

#include "memory/model/fusion.h"
#include "memory/ranking/rank_query.h"
#include "memory/ranking/resident_indexes.h"
#include "memory/rows/candidates.h"

namespace memory {

struct Ranking {
  std::vector<Ranked> rows;
  double whole = 1;         // `lexical` of a row that has each word of the query once
  bool by_meaning = false;  // vectors ranked rows too
  bool partial = false;     // the deadline or the stop cut the search
  bool behind = false;      // did not search: rows wait for the index
};

// Bound to `candidates`, and used by its thread.
class Ranker {
 public:
  // `candidates` and `resident`, which may be null, outlive the ranker.
  Ranker(Candidates& candidates, ResidentIndexes* resident)
      : candidates_(candidates), resident_(resident) {}
  // kInvalid: a malformed expression with `operators`.
  base::Result<Ranking> Rank(const RankQuery& query);

 private:
  struct Search;
  base::Status Find(const RankQuery& query, Search& search);
  base::Status FindRemote(const RankQuery& query, Search& search);
  base::Status FindNear(const RankQuery& query, Search& search);
  base::Result<std::vector<Record>> Load(const RankQuery& query, const Search& search, size_t most,
                                         std::span<const int64_t> others);
  bool BySignals(const RankQuery& query, const Search& search) const;
  std::vector<int64_t> Others(const RankQuery& query, const Search& search, size_t most) const;
  void Clear();
  Candidates& candidates_;
  ResidentIndexes* const resident_;
  Matches found_;  // of the running query
};

}  // namespace memory
