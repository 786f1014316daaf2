// Rows and items whose added index terms (terms.h) an earlier version of the program made. A search
// finds them by those terms until a background task makes the terms of this version.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/sql/database.h"

namespace memory {

// A step of the schema; it never changes. The counters exist while rows or items have terms of an
// earlier version. cut_rows: the slot of the last row with new terms; cut_items: the same of items.
// items.cut 0: terms of an earlier version.
inline constexpr const char* kUncutStep = R"sql(
ALTER TABLE items ADD COLUMN cut INTEGER NOT NULL DEFAULT 0;
INSERT INTO counters SELECT 'cut_rows', 0 WHERE EXISTS (SELECT 1 FROM observations);
INSERT INTO counters SELECT 'cut_items', 0 WHERE EXISTS (SELECT 1 FROM items);
)sql";

enum Uncut { kUncutObservations, kUncutItems };
base::Result<bool> AnyUncut(sql::Database& database, Uncut what);
base::Result<int64_t> CountUncut(sql::Database& database);  // rows and items; reads all keys

struct UncutRow {
  int64_t slot = 0;
  std::string title, content, tags;
  std::string grams;  // the terms that the row has
};
struct UncutRows {
  std::vector<UncutRow> rows;
  int64_t last = 0;  // slot
  bool any = false;  // false: all rows have new terms
};
// The next rows, also deleted ones.
base::Result<UncutRows> FindUncut(sql::Database& database);
// `grams`: the new terms of each row of `found`. Skips rows that were written since FindUncut: they
// have new terms. At each commit the index has either the old or the new terms of a row.
base::Status CutRows(sql::Database& database, const UncutRows& found,
                     const std::vector<std::string>& grams);

struct UncutItems {
  std::vector<int64_t> slots;
  int64_t last = 0;
  bool any = false;
};
base::Result<UncutItems> FindUncutItems(sql::Database& database);
// To be called when the items of `found` have new terms.
base::Status NoteItemsCut(sql::Database& database, const UncutItems& found);

}  // namespace memory
