// SQLite's backup interface.
#include "lib/sqlite/stepped_copy.h"

#include <sqlite3.h>

#include <utility>

#include "lib/sqlite/errors.h"

namespace sqlite {

using base::Result;

Result<SteppedCopy> SteppedCopy::Begin(Database& from, Database& to) {
  sqlite3_backup* backup = sqlite3_backup_init(to.handle(), "main", from.handle(), "main");
  if (!backup) return MakeError(to.handle(), sqlite3_errcode(to.handle()), "copy");
  return SteppedCopy(to, backup);
}

SteppedCopy::SteppedCopy(SteppedCopy&& other) noexcept
    : to_(other.to_), backup_(std::exchange(other.backup_, nullptr)) {}

SteppedCopy::~SteppedCopy() {
  if (backup_) sqlite3_backup_finish(backup_);
}

Result<bool> SteppedCopy::Step(int pages) {
  const int rc = sqlite3_backup_step(backup_, pages);
  if (rc == SQLITE_DONE) return true;
  if (rc == SQLITE_OK) return false;
  return MakeError(to_->handle(), rc, "copy");
}

}  // namespace sqlite
