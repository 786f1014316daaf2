// Finds rows by an FTS5 table.
#pragma once

#include <memory>

#include "lib/sqlite/database.h"
#include "memory/rows/candidates.h"

namespace memory {

// Bound to one connection, whose thread calls it.
class Fts5Finder {
 public:
  static base::Result<Fts5Finder> Make(sqlite::Database& database);
  Fts5Finder(Fts5Finder&&) noexcept;
  ~Fts5Finder();
  // `find`: a literal that calls hits() on what matches ?1 between rowids ?2 and ?3; columns title,
  // content, tags, grams. Appends the rows that match in the ranges of `bounds`. Phrase i of the
  // expression belongs to word owner[i], or to word i if `owner` is empty. → whether the bounds cut
  // the search.
  base::Result<bool> Find(sqlite::Database& database, const char* find, MatchText match,
                          const SearchBounds& bounds, Matches& found);

 private:
  struct Sink;
  explicit Fts5Finder(std::unique_ptr<Sink> sink);
  std::unique_ptr<Sink> sink_;
};

}  // namespace memory
