// Finds and ranks the rows of some ranges that match a query, best first, by words and by meaning.
// Ranges with a resident index (resident_indexes.h) are searched in memory, others by
// FTS5 and in the table of vectors; scoring.h and fusion.h rank both alike.
#pragma once

#include <span>
#include <vector>

#include "lib/sqlite/database.h"
#include "memory/model/fusion.h"
#include "memory/sqlite/ranking/fts5_finder.h"
#include "memory/sqlite/ranking/rank_query.h"
#include "memory/sqlite/ranking/resident_indexes.h"
#include "memory/sqlite/ranking/text_table.h"
#include "memory/sqlite/tables/uncut.h"

namespace memory {

struct Ranking {
  std::vector<Ranked> rows;
  double whole = 1;         // `lexical` of a row that has each word of the query once
  bool by_meaning = false;  // vectors ranked rows too
  bool partial = false;     // the deadline or the stop cut the search
  bool behind = false;      // did not search: rows wait for the index
};

// Bound to one connection, whose thread calls it.
class Ranker {
 public:
  // `resident` may be null and outlives the ranker.
  static base::Result<Ranker> Make(sqlite::Database& database, ResidentIndexes* resident);
  Ranker(Ranker&&) noexcept;
  ~Ranker();
  // kInvalid: a malformed expression with `operators`.
  base::Result<Ranking> Rank(sqlite::Database& database, const RankQuery& query);
  // The rows of another table.
  base::Result<TextMatches> RankTexts(sqlite::Database& database, const TextTable& table,
                                      const TextQuery& query);

 private:
  Ranker(Fts5Finder fts5, Tokens tokens, ResidentIndexes* resident);
  struct Search;
  base::Result<Question> Read(sqlite::Database& database, std::string_view text, Uncut what);
  base::Status Find(sqlite::Database& database, const RankQuery& query, Search& search);
  base::Status FindRemote(sqlite::Database& database, const RankQuery& query, Search& search);
  base::Status FindNear(sqlite::Database& database, const RankQuery& query, Search& search);
  base::Result<std::vector<Record>> Load(sqlite::Database& database, const RankQuery& query,
                                         const Search& search, size_t most,
                                         std::span<const int64_t> others);
  bool BySignals(const RankQuery& query, const Search& search) const;
  std::vector<int64_t> Others(const RankQuery& query, const Search& search, size_t most) const;
  void Clear();
  Fts5Finder fts5_;
  Tokens tokens_;
  ResidentIndexes* resident_;
  Matches found_;                              // of the running query
  bool rows_cut_ = false, items_cut_ = false;  // all of them, once and for all
};

}  // namespace memory
