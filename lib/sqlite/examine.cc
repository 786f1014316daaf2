// Uses its own connection, which does not checkpoint the WAL.
#include "lib/sqlite/examine.h"

#include <sqlite3.h>
#include <unistd.h>

#include <memory>

#include "lib/sqlite/errors.h"

namespace sqlite {
namespace {

using base::Result;

struct Close {
  void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Handle = std::unique_ptr<sqlite3, Close>;
using Prepared = std::unique_ptr<sqlite3_stmt, Close>;

// → the first column of the first row. An error that reports corruption goes into `found`.
Result<std::string> Ask(sqlite3* handle, const char* sql, Examination& found) {
  sqlite3_stmt* raw = nullptr;
  int rc = sqlite3_prepare_v2(handle, sql, -1, &raw, nullptr);
  const Prepared statement(raw);
  if (rc == SQLITE_OK) rc = sqlite3_step(statement.get());
  if (IsDamage(rc)) {
    found.damaged = true;
    found.reason = sqlite3_errmsg(handle);
    return std::string();
  }
  if (rc != SQLITE_ROW) return MakeError(handle, rc, sql);
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement.get(), 0));
  return std::string(text ? text : "");
}

}  // namespace

Result<Examination> Examine(const std::string& path) {
  Examination found;
  if (access(path.c_str(), F_OK) != 0) return found;
  sqlite3* raw = nullptr;
  const int rc =
      sqlite3_open_v2(path.c_str(), &raw,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  const Handle handle(raw);
  if (rc != SQLITE_OK) return MakeError(raw, rc, "open " + path);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  ASSIGN_OR_RETURN(const std::string version, Ask(raw, "PRAGMA user_version", found));
  if (found.damaged) return found;
  found.schema_version = std::atoll(version.c_str());
  ASSIGN_OR_RETURN(const std::string said, Ask(raw, "PRAGMA quick_check(1)", found));
  if (!found.damaged && said != "ok") {
    found.damaged = true;
    found.reason = said;
  }
  return found;
}

}  // namespace sqlite
