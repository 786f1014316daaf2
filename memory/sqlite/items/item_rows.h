// The table `items` and the full-text table of its words. Everything runs in the caller's
// transaction.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/sqlite/database.h"
#include "memory/store/embedder.h"
#include "memory/store/items.h"

namespace memory {

// Slots, as those of observations, are never given twice. `over_ms` is a time of the clock by which
// items expire (base::AgingClock), as are the times that calls below take.
struct ItemRow {
  int64_t slot = 0;
  Item item;
  std::optional<int64_t> over_ms;  // nullopt: never
  size_t bytes = 0;                // of value and metadata
};

// Over or not.
base::Result<std::optional<ItemRow>> FindItem(sqlite::Database& database, int64_t project,
                                              const std::string& key);
base::Result<std::optional<ItemRow>> FindItem(sqlite::Database& database, int64_t slot);
inline bool IsOver(const ItemRow& row, int64_t now_ms) {
  return row.over_ms && *row.over_ms <= now_ms;
}

// The clock by which items and shared values expire, as it was saved; 0: it never was.
base::Result<int64_t> LoadItemClock(sqlite::Database& database);
// Without items there is nothing to tell the time of: an idle server writes nothing.
base::Status SaveItemClock(sqlite::Database& database, int64_t aged_ms);

// A slot for a new item of the project. kFull: it has as many as it may, after some of those that
// are over were removed.
base::Result<int64_t> TakeItemSlot(sqlite::Database& database, int64_t project, int64_t now_ms);
base::Result<int64_t> TakeItemVersion(sqlite::Database& database);
base::Status RaiseItemVersion(sqlite::Database& database, int64_t to);  // of an import

// Writes row, words and vector, of a slot that has none. `embedder` null: no vector.
base::Status InsertItem(sqlite::Database& database, int64_t project, const ItemRow& row,
                        const Embedder* embedder);
// Of an item that has none.
base::Status AddItemVector(sqlite::Database& database, const ItemRow& row,
                           const Embedder* embedder);
// `old`: what is there, in the same slot and of the same key.
base::Status ReplaceItem(sqlite::Database& database, const ItemRow& old, const ItemRow& row,
                         const Embedder* embedder);
base::Status RemoveItem(sqlite::Database& database, const ItemRow& row);
// Removes at most `most` items that are over, of one project or of all. → how many.
base::Result<int64_t> RemoveItemsOver(sqlite::Database& database, std::optional<int64_t> project,
                                      int64_t now_ms, int64_t most);
// Reads on behind slot `after`, in order of slots, items that are not over at `now_ms`, of one
// project or of all; `take` says whether it wants more. → whether that was the last.
base::Result<bool> ReadItems(sqlite::Database& database, std::optional<int64_t> project,
                             int64_t now_ms, int64_t after,
                             const std::function<bool(int64_t slot, ExportedItem&&)>& take);
bool HasItems(sqlite::Database& database);  // false: the file is of a version before them
// Leaves out what is over, and what is not the project's where one is given.
base::Status LeaveOutItems(sqlite::Database& database, std::optional<int64_t> project,
                           int64_t now_ms);
// Makes the full-text table again from the rows.
base::Status IndexAllItems(sqlite::Database& database);

}  // namespace memory
