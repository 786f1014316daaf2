// Removes quotes of erased memories from the rows of state.db: a memory that a person erased at the
// server is also in the messages that stated it, and in what was derived from them. Every call runs
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

// A table whose texts are rewritten, or only searched if its rows must not change.
struct QuotedTable {
  const char* name;
  int texts;                    // columns of `find` after the rowid
  const char* find;             // rowid, then the texts, of sound rows after rowid ?1, in order
  const char* write = nullptr;  // the texts ?2… of row ?1, and its checksum; null: searched only
  const char* sum = nullptr;    // the checksum of row ?1; null: it has none
  const char* why = "";         // the reason why it is only searched
  const char* how = "";         // what the person can do about it
};
const std::vector<QuotedTable>& QuotedTables();

// The text without its quotes; JSON stays valid JSON. nullopt: it has no quotes.
std::optional<std::string> WithoutQuotes(const base::Quotes& quotes, const std::string& text);

struct QuotedPiece {
  std::vector<int64_t> rows;  // rows with quotes
  int64_t last = 0;           // the last row that was read
  bool end = false;
};
// Searches about a megabyte of a table after the row `after`.
base::Result<QuotedPiece> FindQuotes(sqlite::Database& db, const QuotedTable& table,
                                     const base::Quotes& quotes, int64_t after);
// Rewrites a row that FindQuotes found, if it still has quotes.
base::Status EraseFromRow(sqlite::Database& db, const QuotedTable& table,
                          const base::Quotes& quotes, int64_t row);
// Deletes answers to events that have quotes: only a repeated event would need them. → their number
base::Result<int64_t> EraseAnswers(sqlite::Database& db, const base::Quotes& quotes);

}  // namespace sidecar
