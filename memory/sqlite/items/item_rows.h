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

// Slots, like those of observations, are never reused. `over_ms` and the times of the calls below
// are of the clock by which items expire (base::AgingClock).
struct ItemRow {
  int64_t slot = 0;
  Item item;
  std::optional<int64_t> over_ms;  // nullopt: never
  size_t bytes = 0;                // of value and metadata
  bool cut = true;                 // false: an earlier version cut its words (tables/uncut.h)
};

// Also expired ones.
base::Result<std::optional<ItemRow>> FindItem(sqlite::Database& database, int64_t project,
                                              const std::string& key);
base::Result<std::optional<ItemRow>> FindItem(sqlite::Database& database, int64_t slot);
inline bool IsOver(const ItemRow& row, int64_t now_ms) {
  return row.over_ms && *row.over_ms <= now_ms;
}

// The saved time of the clock by which items and shared values expire; 0: never saved.
base::Result<int64_t> LoadItemClock(sqlite::Database& database);
// Saves only if there are items, so that an idle server writes nothing.
base::Status SaveItemClock(sqlite::Database& database, int64_t aged_ms);

// A slot for a new item of the project; removes some expired ones at the limit. kFull: the project
// is still at the limit.
base::Result<int64_t> TakeItemSlot(sqlite::Database& database, int64_t project, int64_t now_ms);
base::Result<int64_t> TakeItemVersion(sqlite::Database& database);
base::Status RaiseItemVersion(sqlite::Database& database, int64_t to);  // of an import

// Writes row, words and vector to a free slot. `embedder` null: no vector.
base::Status InsertItem(sqlite::Database& database, int64_t project, const ItemRow& row,
                        const Embedder* embedder);
// Adds the vector of an item without one.
base::Status AddItemVector(sqlite::Database& database, const ItemRow& row,
                           const Embedder* embedder);
// `old`: the stored item with the same slot and key.
base::Status ReplaceItem(sqlite::Database& database, const ItemRow& old, const ItemRow& row,
                         const Embedder* embedder);
base::Status RemoveItem(sqlite::Database& database, const ItemRow& row);
// Removes at most `most` expired items, of one project or of all. → how many.
base::Result<int64_t> RemoveItemsOver(sqlite::Database& database, std::optional<int64_t> project,
                                      int64_t now_ms, int64_t most);
// Reads items after slot `after`, in order of slots, that are not expired at `now_ms`, of one
// project or of all, until `take` returns false. → whether the end is reached.
base::Result<bool> ReadItems(sqlite::Database& database, std::optional<int64_t> project,
                             int64_t now_ms, int64_t after,
                             const std::function<bool(int64_t slot, ExportedItem&&)>& take);
bool HasItems(sqlite::Database& database);  // false: the file is of an earlier version
// Deletes expired items, and those of other projects if a project is given.
base::Status LeaveOutItems(sqlite::Database& database, std::optional<int64_t> project,
                           int64_t now_ms);
// Cuts the words of an item anew.
base::Status CutItems(sqlite::Database& database, const std::vector<int64_t>& slots);
// Rebuilds the full-text table from the rows.
base::Status IndexAllItems(sqlite::Database& database);

}  // namespace memory
