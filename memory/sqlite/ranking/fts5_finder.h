// Finds rows by FTS5 and by the table of rows, for ranges without a resident index. Ranking is
// ranker.h.
#pragma once

#include <memory>
#include <vector>

#include "lib/sqlite/database.h"
#include "memory/model/postings.h"
#include "memory/model/scoring.h"
#include "memory/sqlite/ranking/rank_query.h"
#include "memory/sqlite/ranking/text_table.h"

namespace memory {

// Bound to one connection, whose thread calls it.
class Fts5Finder {
 public:
  static base::Result<Fts5Finder> Make(sqlite::Database& database);
  Fts5Finder(Fts5Finder&&) noexcept;
  ~Fts5Finder();
  // Appends the rows that match `expression`. Phrase i of it is of word owner[i]; of word i where
  // `owner` is empty. True: the deadline came first. kInvalid: malformed, with query.operators.
  base::Result<bool> Find(sqlite::Database& database, const RankQuery& query,
                          const std::string& expression, std::vector<size_t> owner, Matches& found);
  // The same in another table; the expression is one of ours.
  base::Result<bool> FindTexts(sqlite::Database& database, const TextTable& table,
                               const TextQuery& query, const std::string& expression,
                               std::vector<size_t> owner, Matches& found);

 private:
  struct Sink;
  explicit Fts5Finder(std::unique_ptr<Sink> sink);
  std::unique_ptr<Sink> sink_;
};

// The places and facts of these rows of `found`, which are in order of slots, all in one look-up.
base::Result<std::vector<Record>> LoadRecords(sqlite::Database& database, const Matches& found,
                                              const std::vector<Match>& rows);

// The rows of the asked ranges within `reach` of these records, which are in order of places;
// stretch by stretch of each session.
base::Status AppendNeighbours(sqlite::Database& database, const RankQuery& query,
                              const std::vector<Record>& records, int64_t reach,
                              std::vector<Record>& neighbours);

}  // namespace memory
