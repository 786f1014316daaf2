// The caller follows the key after a line break, which no header contains: so the key of an earlier
// version is next to it on the same page, and the second look-up costs no read.
#include "memory/sqlite/tables/keys.h"

#include "lib/base/json/json.h"
#include "memory/model/salted_digests.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;
using sqlite::Database;
using sqlite::Statement;

Result<std::string> SaltOf(Database& database) {
  ASSIGN_OR_RETURN(Statement read, database.Prepare("SELECT value FROM salt"));
  ASSIGN_OR_RETURN(bool row, read.Step());
  if (!row) return Error{Code::kInternal, "the file has no salt"};
  return read.Text(0);
}

KeyOfCaller::KeyOfCaller(const RequestKey& key, const api::NewObservation& body,
                         const std::string& salt)
    : plain(key.key) {
  if (plain.empty()) return;
  own = key.caller.empty() ? plain : plain + "\n" + key.caller;
  const std::string tags = base::DumpJson(body.tags);
  digest = SaltedDigest(salt, {body.session_id, body.type, body.title, body.content, body.project,
                               body.scope, body.topic_key, tags, body.source.tool,
                               body.source.tool_call_id, body.source.rule, body.source.origin});
}

namespace {

// Column 4 is NULL in rows of earlier versions, which stored neither callers nor digests of bodies.
#define MEMORY_ANSWER                                                            \
  "SELECT id, action, revision_count, duplicate_count, digest FROM idempotency " \
  "WHERE key = ?1 AND used_ms >= ?2 "

Result<std::optional<Saved>> Answered(Statement read, const std::string& key, int64_t oldest_ms,
                                      int64_t digest) {
  ASSIGN_OR_RETURN(bool row, read.Bind(key).Bind(oldest_ms).Step());
  if (!row) return std::optional<Saved>();
  Saved saved{read.Int(0), read.Text(1), read.Int(2), read.Int(3)};
  saved.key_reused = !read.IsNull(4) && read.Int(4) != digest;
  saved.replayed = !saved.key_reused;
  return std::optional<Saved>(std::move(saved));
}

}  // namespace

Result<std::optional<Saved>> FindAnswer(Database& database, const KeyOfCaller& key,
                                        int64_t oldest_ms) {
  ASSIGN_OR_RETURN(Statement read, database.Prepare(MEMORY_ANSWER));
  ASSIGN_OR_RETURN(auto answer, Answered(std::move(read), key.own, oldest_ms, key.digest));
  if (answer || key.own == key.plain) return answer;
  ASSIGN_OR_RETURN(Statement earlier, database.Prepare(MEMORY_ANSWER "AND digest IS NULL"));
  return Answered(std::move(earlier), key.plain, oldest_ms, key.digest);
}

Status KeepAnswer(Database& database, const KeyOfCaller& key, const Saved& saved, int64_t now_ms,
                  int64_t kept_ms) {
  ASSIGN_OR_RETURN(
      Statement add,
      database.Prepare("REPLACE INTO idempotency(key, id, action, revision_count, "
                       "duplicate_count, used_ms, digest) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)"));
  add.Bind(key.own).Bind(saved.id).Bind(saved.action).Bind(saved.revision_count);
  add.Bind(saved.duplicate_count).Bind(now_ms).Bind(key.digest);
  RETURN_IF_ERROR(add.Run());
  ASSIGN_OR_RETURN(
      Statement drop,
      database.Prepare("DELETE FROM idempotency WHERE key IN (SELECT key FROM idempotency "
                       "WHERE used_ms < ?1 ORDER BY used_ms LIMIT 4)"));
  return drop.Bind(now_ms - kept_ms).Run();
}

}  // namespace memory
