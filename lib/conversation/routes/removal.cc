// Removes rows of the large tables in batches, then the rest in one commit.
#include "lib/conversation/routes/removal.h"

#include <optional>

#include "lib/conversation/conversations.h"
#include "lib/conversation/working/field_life.h"
#include "lib/conversation/working/field_table.h"

namespace conversation {
namespace {

using base::Json;
using base::Result;

constexpr int64_t kRowsTogether = 200;  // a message has up to 8 MiB, most have 1 KiB

// A block's compact form is deleted by cascade.
constexpr const char* kManyRows[] = {
    "DELETE FROM messages WHERE number IN"
    " (SELECT number FROM messages WHERE conversation = ?1 LIMIT ?2)",
    "DELETE FROM blocks WHERE number IN"
    " (SELECT number FROM blocks WHERE conversation = ?1 LIMIT ?2)",
    "DELETE FROM checkpoints WHERE number IN"
    " (SELECT number FROM checkpoints WHERE conversation = ?1 LIMIT ?2)",
    "DELETE FROM ledger WHERE conversation = ?1 AND item IN"
    " (SELECT item FROM ledger WHERE conversation = ?1 LIMIT ?2)"};
constexpr const char* kOneRow[] = {"DELETE FROM task_states WHERE conversation = ?1",
                                   "DELETE FROM conversation_bytes WHERE conversation = ?1",
                                   "DELETE FROM conversations WHERE id = ?1"};

struct Removed {
  int64_t rows = 0;
  bool all = false;
};

Result<Removed> RemovePiece(Host& host, sqlite::Database& db, const std::string& key) {
  Removed removed;
  for (const char* sql : kManyRows) {
    ASSIGN_OR_RETURN(auto remove, db.Prepare(sql));
    RETURN_IF_ERROR(remove.Bind(key).Bind(kRowsTogether - removed.rows).Run());
    removed.rows += db.Changes();
    if (removed.rows >= kRowsTogether) return removed;
  }
  for (const char* sql : kOneRow) {
    ASSIGN_OR_RETURN(auto remove, db.Prepare(sql));
    RETURN_IF_ERROR(remove.Bind(key).Run());
    removed.rows += db.Changes();
  }
  ASSIGN_OR_RETURN(const int64_t fields, DeleteFields(db, key, std::nullopt, host.Fields().Now()));
  removed.rows += fields;
  removed.all = true;
  return removed;
}

}  // namespace

Result<bool> RemoveWhole(Host& host, const std::string& id) {
  bool any = false;
  for (Removed removed; !removed.all; any = any || removed.rows > 0) {
    RETURN_IF_ERROR(host.Write(
        [&](sqlite::Database& db) -> Result<Json> {
          ASSIGN_OR_RETURN(removed, RemovePiece(host, db, host.Key(id)));
          return Json();
        },
        Host::Room::kGives));
  }
  return any;
}

}  // namespace conversation
