// The update hook of SQLite notes each row as it changes.
#include "memory/sqlite/ranking/row_changes.h"

#include <algorithm>
#include <string_view>

namespace memory {

using base::Status;
using sqlite::Statement;

void RowChanges::Note(void* self, int what, const char*, const char* table, sqlite3_int64 slot) {
  auto& noted = *static_cast<RowChanges*>(self);
  const std::string_view changed = table;
  if (changed == "observations" || changed == "vectors") noted.changed_.push_back(slot);
  if (changed == "waiting" && what == SQLITE_INSERT) noted.waiting_.push_back(slot);
  if ((changed == "observations" && what == SQLITE_INSERT) ||
      (changed == "remote_vectors" && what == SQLITE_DELETE))
    noted.remote_gaps_.push_back(slot);
}

void RowChanges::Watch(sqlite::Database& writer) {
  sqlite3_update_hook(writer.handle(), Note, this);
}

Status RowChanges::Publish(sqlite::Database& writer) {
  if (!remote_gaps_.empty() && on_remote_gaps_) on_remote_gaps_(remote_gaps_);
  remote_gaps_.clear();
  if (changed_.empty()) return {};
  // Two statements take half the time of one with RETURNING.
  ASSIGN_OR_RETURN(Statement raise,
                   writer.Prepare("INSERT INTO counters VALUES('version', 1) ON CONFLICT(name) "
                                  "DO UPDATE SET value = counters.value + 1"));
  RETURN_IF_ERROR(raise.Run());
  ASSIGN_OR_RETURN(Statement read,
                   writer.Prepare("SELECT value FROM counters WHERE name = 'version'"));
  ASSIGN_OR_RETURN(const bool row, read.Step());
  const int64_t version = row ? read.Int(0) : 0;
  std::sort(changed_.begin(), changed_.end());
  changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
  resident_.Publish(version, changed_);
  changed_.clear();
  return {};
}

}  // namespace memory
