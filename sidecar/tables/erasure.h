// Removes quotes of erased memories from the rows of state.db: what a person erased at the memory
// server is also in the messages in which it was said and in what was made of them. Every call runs
// inside the caller's transaction and handles a piece of a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/base/text/quotes.h"
#include "lib/sqlite/database.h"

namespace sidecar {

// A table whose texts are rewritten, or only searched: its rows are not to be changed.
struct QuotedTable {
  const char* name;
  int texts;                    // columns of `find` behind the rowid
  const char* find;             // rowid, then the texts, of sound rows behind ?1 in order of rowid
  const char* write = nullptr;  // the texts ?2… of row ?1, and its checksum; null: searched only
  const char* sum = nullptr;    // the checksum of row ?1; null: it has none
  const char* why = "";         // it is not changed
  const char* how = "";         // what the person can do
};
const std::vector<QuotedTable>& QuotedTables();

// A text without the quotes, also inside JSON, whose form stays; nullopt: it has none.
std::optional<std::string> WithoutQuotes(const base::Quotes& quotes, const std::string& text);

struct QuotedPiece {
  std::vector<int64_t> rows;  // which quote
  int64_t last = 0;           // the last row that was read
  bool end = false;
};
// Reads about a megabyte of a table behind row `after`.
base::Result<QuotedPiece> FindQuotes(sqlite::Database& db, const QuotedTable& table,
                                     const base::Quotes& quotes, int64_t after);
// Rewrites a row that FindQuotes found, if it still quotes.
base::Status EraseFromRow(sqlite::Database& db, const QuotedTable& table,
                          const base::Quotes& quotes, int64_t row);
// Deletes answers to events that quote: they are for repetitions of the events only. → their number
base::Result<int64_t> EraseAnswers(sqlite::Database& db, const base::Quotes& quotes);

}  // namespace sidecar
