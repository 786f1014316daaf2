// Copies a database file page by page through the connection that writes it. Between two steps it
// holds no snapshot, so that the WAL can restart; changes of that connection go into the copy too.
// The finished copy is the state at its last step.
#pragma once

#include <memory>

#include "lib/base/result.h"
#include "lib/sqlite/database.h"

struct sqlite3_backup;

namespace sqlite {

class SteppedCopy {
 public:
  // `to`: an empty file, opened with Access::kScratch and used by nobody else during the copy. Both
  // databases outlive the copy.
  static base::Result<SteppedCopy> Begin(Database& from, Database& to);
  SteppedCopy(SteppedCopy&& other) noexcept;
  ~SteppedCopy();
  // Copies at most `pages`; outside of a transaction, on the thread of `from`. → whether the copy
  // is complete. kFull, kInternal.
  base::Result<bool> Step(int pages);

 private:
  SteppedCopy(Database& to, sqlite3_backup* backup) : to_(&to), backup_(backup) {}
  Database* to_;
  sqlite3_backup* backup_;
};

}  // namespace sqlite
