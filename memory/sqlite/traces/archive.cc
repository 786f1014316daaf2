// Stores and reads archived originals.
#include "memory/sqlite/traces/archive.h"

#include "lib/base/text/deflate.h"
#include "lib/base/text/digest.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;

namespace {

constexpr int64_t kMostBytes = 4 * int64_t{api::kMaxContent};  // of a text: four a character
constexpr int64_t kAccessesKept = 20;                          // of one trace, the newest

Error Damaged(int64_t slot) {
  return Error{Code::kInternal,
               "the archived text of slot " + std::to_string(slot) + " is not what was archived"};
}

}  // namespace

Status Archive(Database& database, int64_t slot, int64_t revision, const std::string& text,
               int64_t now_ms) {
  const std::string deflated = base::Deflate(text);
  ASSIGN_OR_RETURN(
      Statement put,
      database.Prepare("INSERT INTO trace_originals(slot, archived_ms, revision, digest, bytes, "
                       "deflated) VALUES(?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT(slot) DO UPDATE SET "
                       "archived_ms = excluded.archived_ms, revision = excluded.revision, digest = "
                       "excluded.digest, bytes = excluded.bytes, deflated = excluded.deflated"));
  put.Bind(slot).Bind(now_ms).Bind(revision).Bind(base::Sha256Hex(text));
  return put.Bind(static_cast<int64_t>(text.size())).BindBlob(deflated).Run();
}

Result<std::optional<Archived>> FindArchived(Database& database, int64_t slot) {
  ASSIGN_OR_RETURN(Statement read,
                   database.Prepare("SELECT archived_ms, revision, digest, bytes, deflated FROM "
                                    "trace_originals WHERE slot = ?1"));
  ASSIGN_OR_RETURN(const bool there, read.Bind(slot).Step());
  if (!there) return std::optional<Archived>();
  const int64_t bytes = read.Int(3);
  if (bytes < 0 || bytes > kMostBytes) return Damaged(slot);
  auto text = base::Inflate(read.Text(4), static_cast<size_t>(bytes));
  if (!text || base::Sha256Hex(*text) != read.Text(2)) return Damaged(slot);
  Archived found{std::move(*text), read.Int(0), read.Int(1)};
  return std::optional(std::move(found));
}

Status RemoveArchived(Database& database, int64_t slot) {
  ASSIGN_OR_RETURN(Statement remove,
                   database.Prepare("DELETE FROM trace_originals WHERE slot = ?1"));
  return remove.Bind(slot).Run();
}

Status LogAccess(Database& database, int64_t slot, int64_t now_ms) {
  ASSIGN_OR_RETURN(Statement log,
                   database.Prepare("INSERT INTO archive_access_log(slot, accessed_ms) "
                                    "SELECT slot, ?2 FROM trace_originals WHERE slot = ?1"));
  RETURN_IF_ERROR(log.Bind(slot).Bind(now_ms).Run());
  ASSIGN_OR_RETURN(
      Statement trim,
      database.Prepare("DELETE FROM archive_access_log WHERE number IN (SELECT number FROM "
                       "archive_access_log WHERE slot = ?1 ORDER BY number DESC LIMIT "
                       "9223372036854775807 OFFSET "
                       "?2)"));
  return trim.Bind(slot).Bind(kAccessesKept).Run();
}

Result<int64_t> RemoveUnread(Database& database, int64_t since_ms, int64_t most) {
  ASSIGN_OR_RETURN(
      Statement remove,
      database.Prepare("DELETE FROM trace_originals WHERE slot IN (SELECT slot FROM "
                       "trace_originals o WHERE archived_ms < ?1 AND NOT EXISTS (SELECT 1 FROM "
                       "archive_access_log a WHERE a.slot = o.slot AND a.accessed_ms >= ?1) "
                       "LIMIT ?2)"));
  RETURN_IF_ERROR(remove.Bind(since_ms).Bind(most).Run());
  return database.Changes();
}

}  // namespace memory
