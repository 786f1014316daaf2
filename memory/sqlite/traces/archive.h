// Original texts of traces whose content was replaced by a gist: deflated, with a digest that is
// checked before a text is returned. Everything runs in the caller's transaction.
#pragma once

#include <optional>
#include <string>

#include "lib/sql/database.h"
#include "memory/store/exported_traces.h"

namespace memory {

// `revision`: of the row with the gist.
base::Status Archive(sql::Database& database, int64_t slot, int64_t revision,
                     const std::string& text, int64_t now_ms);
struct Archived {
  std::string text;
  int64_t archived_ms = 0, revision = 0;
};
// nullopt: no original. kInternal: it is corrupt.
base::Result<std::optional<Archived>> FindArchived(sql::Database& database, int64_t slot);
base::Status RemoveArchived(sql::Database& database, int64_t slot);
base::Status LogAccess(sql::Database& database, int64_t slot, int64_t now_ms);
// Removes at most `most` originals that nobody read since. → how many.
base::Result<int64_t> RemoveUnread(sql::Database& database, int64_t since_ms, int64_t most);

}  // namespace memory
