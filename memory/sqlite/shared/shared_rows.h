// The table `shared_items`, inside the caller's transaction.
#pragma once

#include "lib/sqlite/database.h"
#include "memory/store/shared_items.h"

namespace memory {

struct SharedRow {
  int64_t slot = 0, version = 0, bytes = 0;
  bool over = false;
};

// Also an expired one. Times are of the clock by which items expire (base::AgingClock).
base::Result<std::optional<SharedRow>> FindShared(sqlite::Database& database,
                                                  const std::string& owner, const std::string& key,
                                                  int64_t now_ms);
// Replaces `before` with an item. kFull: the owner or the tenant is at its limit, even after the
// expired items of the owner were removed.
base::Status WriteShared(sqlite::Database& database, const SharedItem& item,
                         const std::optional<SharedRow>& before, int64_t now_ms);
base::Status RemoveShared(sqlite::Database& database, int64_t slot);
// Removes at most `most` expired items, of one owner or (empty) of all. → how many.
base::Result<int64_t> RemoveSharedOver(sqlite::Database& database, const std::string& owner,
                                       int64_t now_ms, int64_t most);
base::Result<int64_t> TakeSharedVersion(sqlite::Database& database);

}  // namespace memory
