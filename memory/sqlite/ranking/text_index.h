// An FTS5 index in the memory of the process over the rows that one search may find: for what no
// resident index answers, such as operators. It cuts and matches words as the index of a file does.
#pragma once

#include <memory>
#include <string>

#include "lib/sqlite/database.h"
#include "memory/rows/candidates.h"
#include "memory/sqlite/ranking/fts5_finder.h"
#include "memory/sqlite/ranking/fts5_tokens.h"

namespace memory {

// One thread.
class TextIndex {
 public:
  static base::Result<std::unique_ptr<TextIndex>> Make();
  const Tokens& tokens() const { return tokens_; }

  // Adds a row until Find, which forgets all rows.
  base::Status Add(int64_t slot, const std::string& title, const std::string& content,
                   const std::string& tags, const std::string& grams);
  // As Candidates::FindWords and FindExpression.
  base::Result<bool> Find(MatchText match, const SearchBounds& bounds, Matches& found);

 private:
  TextIndex(sqlite::Database database, Fts5Finder finder, Tokens tokens)
      : database_(std::move(database)), finder_(std::move(finder)), tokens_(std::move(tokens)) {}
  sqlite::Database database_;
  Fts5Finder finder_;
  Tokens tokens_;
};

}  // namespace memory
