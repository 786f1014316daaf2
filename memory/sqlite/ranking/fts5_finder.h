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
  // Appends the rows that match `expression`. Its phrase i belongs to word owner[i], or to word i
  // if `owner` is empty. → whether the deadline passed. kInvalid: malformed, with query.operators.
  base::Result<bool> Find(sqlite::Database& database, const RankQuery& query,
                          const std::string& expression, std::vector<size_t> owner, Matches& found);
  // The same in another table; the program made the expression.
  base::Result<bool> FindTexts(sqlite::Database& database, const TextTable& table,
                               const TextQuery& query, const std::string& expression,
                               std::vector<size_t> owner, Matches& found);

 private:
  struct Sink;
  explicit Fts5Finder(std::unique_ptr<Sink> sink);
  std::unique_ptr<Sink> sink_;
};

// The places and facts of these rows of `found`, which are in order of slots, with one statement.
base::Result<std::vector<Record>> LoadRecords(sqlite::Database& database, const Matches& found,
                                              const std::vector<Match>& rows);

// The rows of the queried ranges within `reach` positions of these records, which are in order of
// places; reads one stretch of a session at a time.
base::Status AppendNeighbours(sqlite::Database& database, const RankQuery& query,
                              const std::vector<Record>& records, int64_t reach,
                              std::vector<Record>& neighbours);

}  // namespace memory
