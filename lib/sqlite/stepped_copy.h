// A copy of a database file, page by page, through the connection that writes it. Nothing is held
// between two steps: no snapshot, so that the log can begin anew; what that connection writes
// meanwhile goes into the copy, too. The copy is of the moment of its last step.
#pragma once

#include <memory>

#include "lib/base/result.h"
#include "lib/sqlite/database.h"

struct sqlite3_backup;

namespace sqlite {

class SteppedCopy {
 public:
  // `to`: an empty file, opened with Access::kScratch, which nobody else uses until this is gone.
  // Both outlive this.
  static base::Result<SteppedCopy> Begin(Database& from, Database& to);
  SteppedCopy(SteppedCopy&& other) noexcept;
  ~SteppedCopy();
  // At most so many pages; outside of a transaction, on the thread of `from`. → whether all are
  // there. kFull, kInternal.
  base::Result<bool> Step(int pages);

 private:
  SteppedCopy(Database& to, sqlite3_backup* backup) : to_(&to), backup_(backup) {}
  Database* to_;
  sqlite3_backup* backup_;
};

}  // namespace sqlite
