// Row numbers have no holes, since only the oldest rows are deleted, and only read ones: status and
// pages need no scan. A trigger refuses every update, and every delete above the read mark (ADR
// 37).
#include "sidecar/tables/audit_log.h"

#include <algorithm>
#include <utility>

#include "lib/base/json/stored.h"
#include "sidecar/growth/growth_tables.h"

namespace sidecar {
namespace {

using base::Json;
using base::Result;
using base::Status;

constexpr size_t kNamesOfARow = 200;  // bytes of the keys, numbers and time as JSON

}  // namespace

const char* const kAuditSchema = R"sql(
CREATE TABLE audit_log(
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  conversation TEXT NOT NULL,
  event TEXT NOT NULL,
  tool TEXT NOT NULL,
  details TEXT NOT NULL,
  created_ms INTEGER NOT NULL
) STRICT;
CREATE TRIGGER audit_log_no_update BEFORE UPDATE ON audit_log
  BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_log_no_delete BEFORE DELETE ON audit_log
  BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
)sql";

// Without a row nothing was read. A salvaged file begins without one, since its numbers may
// restart.
const char* const kAuditStep = R"sql(
CREATE TABLE audit_read(only_one INTEGER PRIMARY KEY CHECK(only_one = 1),
  through INTEGER NOT NULL) STRICT;
CREATE TRIGGER audit_read_forward BEFORE UPDATE ON audit_read WHEN NEW.through < OLD.through
  BEGIN SELECT RAISE(ABORT, 'the read mark of the audit log only moves forward'); END;
DROP TRIGGER audit_log_no_delete;
CREATE TRIGGER audit_log_no_delete BEFORE DELETE ON audit_log
  WHEN OLD.number > coalesce((SELECT through FROM audit_read), 0)
  BEGIN SELECT RAISE(ABORT, 'a row of the audit log that was not read stays'); END;
)sql";

Status AddAudit(sqlite::Database& db, const std::string& conversation, const std::string& event,
                const std::string& tool, const Json& details, int64_t now_ms) {
  ASSIGN_OR_RETURN(
      auto insert,
      db.Prepare("INSERT INTO audit_log(conversation, event, tool, details, created_ms)"
                 " VALUES(?,?,?,?,?)"));
  insert.Bind(conversation).Bind(event).Bind(tool).Bind(base::DumpJson(details));
  return insert.Bind(now_ms).Run();
}

Result<AuditPage> ReadAudit(sqlite::Database& db, int64_t from, int64_t limit, size_t bytes) {
  ASSIGN_OR_RETURN(auto query,
                   db.Prepare("SELECT number, conversation, event, tool, details, created_ms"
                              " FROM audit_log WHERE number >= ? ORDER BY number"));
  query.Bind(from);
  AuditPage page;
  size_t used = 0;
  RETURN_IF_ERROR(query.ForEachRow([&](const sqlite::Statement& found) -> Result<bool> {
    AuditRow row{found.Int(0), found.Text(1), found.Text(2), found.Text(3), {}, found.Int(5)};
    const std::string details = found.Text(4);
    for (const std::string* text : {&row.conversation, &row.event, &row.tool}) {
      used += base::DumpJson(*text).size();
    }
    used += details.size() + kNamesOfARow;
    const bool fits = std::ssize(page.rows) < limit && used <= bytes;
    if (!fits && !page.rows.empty()) {
      page.more = row.number;
      return false;
    }
    ASSIGN_OR_RETURN(row.details, base::ParseStored(details, Json()));
    page.rows.push_back(std::move(row));
    return true;
  }));
  return page;
}

Result<AuditStatus> ReadAuditStatus(sqlite::Database& db) {
  // Numbers have no holes: deleted rows are the first ones.
  ASSIGN_OR_RETURN(auto query, db.Prepare("SELECT coalesce((SELECT max(number) FROM audit_log), 0),"
                                          " coalesce((SELECT min(number) FROM audit_log), 1),"
                                          " coalesce((SELECT through FROM audit_read), 0)"));
  ASSIGN_OR_RETURN([[maybe_unused]] const bool found, query.Step());
  AuditStatus stands;
  stands.through = query.Int(2);
  stands.last = std::max(query.Int(0), stands.through);
  stands.unread = stands.last - std::max(stands.through, query.Int(1) - 1);
  return stands;
}

Status MarkAuditRead(sqlite::Database& db, int64_t through) {
  ASSIGN_OR_RETURN(const AuditStatus stands, ReadAuditStatus(db));
  if (through > stands.last) {
    return base::Error{base::Code::kInvalid, "through is " + std::to_string(through) +
                                                 " and the last row of the audit log is " +
                                                 std::to_string(stands.last) +
                                                 "; GET /v1/audit has the rows"};
  }
  if (through <= stands.through) return {};
  ASSIGN_OR_RETURN(auto mark, db.Prepare("INSERT INTO audit_read(only_one, through) VALUES(1, ?)"
                                         " ON CONFLICT(only_one) DO UPDATE SET"
                                         " through = excluded.through"));
  return mark.Bind(through).Run();
}

Result<int64_t> RemoveReadAudit(sqlite::Database& db, const Cut& cut) {
  std::vector<int64_t> numbers;
  {
    ASSIGN_OR_RETURN(auto query, db.Prepare("SELECT number, created_ms FROM audit_log"
                                            " WHERE number <= (SELECT through FROM audit_read)"
                                            " ORDER BY number LIMIT ?"));
    query.Bind(kRowsOfAPiece);
    RETURN_IF_ERROR(query.ForEachRow([&](const sqlite::Statement& row) {
      if (cut.reason == Cut::Reason::kAge && row.Int(1) >= cut.before_ms) return false;  // no holes
      numbers.push_back(row.Int(0));
      return true;
    }));
  }
  return RemoveNumbers(db, "DELETE FROM audit_log WHERE number = ?", numbers);
}

}  // namespace sidecar
