// Rows and items whose added words (terms.h) are of an earlier version of the program. They are
// found by the words that this version cut, until the background cuts them anew.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/sqlite/database.h"

namespace memory {

// A step of the schema; it never changes. The counters exist while something is to be cut: the slot
// of the last row that is cut, and whether items are. items.cut: 0: by an earlier version.
inline constexpr const char* kUncutStep = R"sql(
ALTER TABLE items ADD COLUMN cut INTEGER NOT NULL DEFAULT 0;
INSERT INTO counters SELECT 'cut_rows', 0 WHERE EXISTS (SELECT 1 FROM observations);
INSERT INTO counters SELECT 'cut_items', 0 WHERE EXISTS (SELECT 1 FROM items);
)sql";

enum Uncut { kUncutObservations, kUncutItems };
base::Result<bool> AnyUncut(sqlite::Database& database, Uncut what);
base::Result<int64_t> CountUncut(sqlite::Database& database);  // both; reads all keys

struct UncutRow {
  int64_t slot = 0;
  std::string title, content, tags;
  std::string grams;  // in the file
};
struct UncutRows {
  std::vector<UncutRow> rows;
  int64_t last = 0;  // slot
  bool any = false;  // false: all are cut
};
// The next rows, also deleted ones.
base::Result<UncutRows> FindUncut(sqlite::Database& database);
// `grams`: the new ones, one a row. Rows that changed meanwhile are cut already. The index has old
// or new words of each row at each commit.
base::Status CutRows(sqlite::Database& database, const UncutRows& found,
                     const std::vector<std::string>& grams);

struct UncutItems {
  std::vector<int64_t> slots;
  int64_t last = 0;
  bool any = false;
};
base::Result<UncutItems> FindUncutItems(sqlite::Database& database);
// After items up to `last` are cut.
base::Status NoteItemsCut(sqlite::Database& database, const UncutItems& found);

}  // namespace memory
