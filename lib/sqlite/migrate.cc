// Schema versions, kept in the file's user_version.
#include <string>

#include "lib/sqlite/database.h"

namespace sqlite {

base::Status Migrate(Database& database, const std::vector<const char*>& steps) {
  int64_t version = 0;
  {
    ASSIGN_OR_RETURN(Statement read, database.Prepare("PRAGMA user_version"));
    ASSIGN_OR_RETURN(bool row, read.Step());
    if (row) version = read.Int(0);
  }
  if (version > static_cast<int64_t>(steps.size())) {
    return base::Error{base::Code::kInvalid,
                       "the database has schema version " + std::to_string(version) +
                           ", this program knows " + std::to_string(steps.size()) +
                           ": start the newer program again or restore a backup"};
  }
  if (version == static_cast<int64_t>(steps.size())) return {};
  for (; version < static_cast<int64_t>(steps.size()); ++version) {
    ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(database));
    std::string name = "migration " + std::to_string(version + 1);
    if (base::Status done = database.Execute(steps[static_cast<size_t>(version)]); !done)
      return base::Wrap(name, done.error());
    RETURN_IF_ERROR(
        database.Execute(("PRAGMA user_version=" + std::to_string(version + 1)).c_str()));
    if (base::Status done = transaction.Commit(); !done) return base::Wrap(name, done.error());
  }
  sqlite3_db_release_memory(database.handle());  // the pages that the steps changed
  return {};
}

}  // namespace sqlite
