// One statement, prepared, bound and run.
#pragma once

#include <string_view>

#include "lib/sql/database.h"

namespace sql {

// Ignores rows.
template <class... Values>
base::Status Run(Database& database, std::string_view sql, const Values&... values) {
  ASSIGN_OR_RETURN(Statement run, database.Prepare(sql));
  (run.Bind(values), ...);
  return run.Run();
}

}  // namespace sql
