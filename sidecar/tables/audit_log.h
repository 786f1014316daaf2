// The audit log in state.db, append-only: triggers refuse every update, and deletes of unread rows.
// Every call runs inside the caller's transaction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/sqlite/database.h"
#include "sidecar/growth/growth_plan.h"

namespace sidecar {

extern const char* const kAuditSchema;
extern const char* const kAuditStep;  // a later migration: the read mark

base::Status AddAudit(sqlite::Database& db, const std::string& conversation,
                      const std::string& event, const std::string& tool, const base::Json& details,
                      int64_t now_ms);

struct AuditRow {
  int64_t number = 0;
  std::string conversation, event, tool;
  base::Json details;
  int64_t created_ms = 0;
};
struct AuditPage {
  std::vector<AuditRow> rows;
  int64_t more = 0;  // number of the first row of the next page; 0: none
};
// Rows from number `from` on, as many as fit; a page has at least one row.
base::Result<AuditPage> ReadAudit(sqlite::Database& db, int64_t from, int64_t limit, size_t bytes);

struct AuditStatus {
  int64_t last = 0;     // the highest number of a row
  int64_t through = 0;  // the read mark
  int64_t unread = 0;
};
base::Result<AuditStatus> ReadAuditStatus(sqlite::Database& db);

// Moves the read mark to `through`, never backwards. kInvalid: no row has this number yet.
base::Status MarkAuditRead(sqlite::Database& db, int64_t through);

// Removes a piece of the read rows, the oldest first. → the number of removed rows.
base::Result<int64_t> RemoveReadAudit(sqlite::Database& db, const Cut& cut);

}  // namespace sidecar
