// The table, its totals and its statements. Documents are the last column, so that a list reads
// none of their pages.
#include "lib/conversation/checkpoint/checkpoint_table.h"

#include "lib/base/text/digest.h"

namespace conversation {
namespace {

using base::Code;
using base::Error;
using base::Result;
using base::Status;

Result<int64_t> NumberOf(sqlite::Database& db, const char* sql, const std::string& name) {
  ASSIGN_OR_RETURN(auto query, db.Prepare(sql));
  ASSIGN_OR_RETURN(const bool there, query.Bind(name).Step());
  return there ? query.Int(0) : int64_t{0};
}

Status CheckOwnersRoom(sqlite::Database& db, const std::string& owner) {
  ASSIGN_OR_RETURN(const int64_t bytes,
                   NumberOf(db, "SELECT bytes FROM checkpoint_totals WHERE owner = ?", owner));
  if (bytes <= kMaxCheckpointsOfOwner) return {};
  return Error{Code::kFull, "the checkpoints of all conversations would have " +
                                std::to_string(bytes) + " bytes, the limit is " +
                                std::to_string(kMaxCheckpointsOfOwner) + "; let some expire"};
}

}  // namespace

const char* const kCheckpointStep = R"sql(
CREATE TABLE checkpoints(
  number INTEGER PRIMARY KEY,
  owner TEXT NOT NULL,
  conversation TEXT NOT NULL,
  generation INTEGER NOT NULL,
  step INTEGER NOT NULL,
  saved_ms INTEGER NOT NULL,
  expires_ms INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  document TEXT NOT NULL,
  UNIQUE(conversation, generation)
) STRICT;
CREATE INDEX checkpoints_by_end ON checkpoints(expires_ms);
CREATE TABLE checkpoint_totals(
  owner TEXT PRIMARY KEY NOT NULL,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER checkpoint_made AFTER INSERT ON checkpoints BEGIN
  INSERT INTO checkpoint_totals VALUES(new.owner, new.bytes + 512) ON CONFLICT(owner)
    DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER checkpoint_gone AFTER DELETE ON checkpoints BEGIN
  UPDATE checkpoint_totals SET bytes = bytes - old.bytes - 512 WHERE owner = old.owner;
  DELETE FROM checkpoint_totals WHERE owner = old.owner AND bytes <= 0;
END;
)sql";
static_assert(kCheckpointRowBytes == 512);  // as in the triggers

Result<CheckpointRow> SaveCheckpoint(sqlite::Database& db, const CheckpointSave& save) {
  CheckpointRow row;
  ASSIGN_OR_RETURN(
      row.generation,
      NumberOf(db, "SELECT max(generation) + 1 FROM checkpoints WHERE conversation = ?",
               save.conversation));
  if (row.generation == 0) row.generation = 1;
  row.step = save.step;
  row.bytes = static_cast<int64_t>(save.document.size());
  row.saved_ms = save.wall_ms;
  row.expires_ms = save.now_ms + save.ttl_ms;
  row.sha256 = save.sha256;
  ASSIGN_OR_RETURN(auto remove, db.Prepare("DELETE FROM checkpoints WHERE conversation = ?1 AND"
                                           " (generation <= ?2 OR expires_ms <= ?3)"));
  remove.Bind(save.conversation).Bind(row.generation - save.kept).Bind(save.now_ms);
  RETURN_IF_ERROR(remove.Run());
  ASSIGN_OR_RETURN(
      auto insert,
      db.Prepare("INSERT INTO checkpoints(owner, conversation, generation, step, saved_ms,"
                 " expires_ms, bytes, sha256, document, checksum)"
                 " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9,"
                 " row_checksum(?2, ?3, ?4, ?5, ?6, ?8, ?9))"));
  insert.Bind(save.owner).Bind(save.conversation).Bind(row.generation).Bind(row.step);
  insert.Bind(row.saved_ms).Bind(row.expires_ms).Bind(row.bytes).Bind(row.sha256);
  RETURN_IF_ERROR(insert.Bind(save.document).Run());
  RETURN_IF_ERROR(CheckOwnersRoom(db, save.owner));
  return row;
}

Result<std::vector<CheckpointRow>> ListCheckpoints(sqlite::Database& db,
                                                   const std::string& conversation,
                                                   int64_t now_ms) {
  ASSIGN_OR_RETURN(auto query, db.Prepare("SELECT generation, step, bytes, saved_ms, expires_ms,"
                                          " sha256 FROM checkpoints WHERE conversation = ?"
                                          " AND expires_ms > ? ORDER BY generation DESC"));
  query.Bind(conversation).Bind(now_ms);
  return query.ReadAll([](const sqlite::Statement& row) {
    return CheckpointRow{row.Int(0), row.Int(1), row.Int(2), row.Int(3), row.Int(4), row.Text(5)};
  });
}

Result<std::string> ReadCheckpoint(sqlite::Database& db, const std::string& conversation,
                                   int64_t generation) {
  ASSIGN_OR_RETURN(
      auto query,
      db.Prepare("SELECT document, sha256, row_is_sound('checkpoints', number, checksum,"
                 " conversation, generation, step, saved_ms, expires_ms, sha256, document)"
                 " FROM checkpoints WHERE conversation = ? AND generation = ?"));
  ASSIGN_OR_RETURN(const bool there, query.Bind(conversation).Bind(generation).Step());
  if (!there) {
    return Error{Code::kNotFound, "there is no generation " + std::to_string(generation)};
  }
  std::string document = query.Text(0);
  if (query.Int(2) != 0 && base::Sha256Hex(document) == query.Text(1)) return document;
  return Error{Code::kInternal, "its checksum does not match: the disk changed it"};
}

Result<int64_t> RemoveExpiredCheckpoints(sqlite::Database& db, int64_t now_ms, int64_t limit) {
  ASSIGN_OR_RETURN(auto remove,
                   db.Prepare("DELETE FROM checkpoints WHERE number IN (SELECT number FROM"
                              " checkpoints WHERE expires_ms <= ? ORDER BY expires_ms LIMIT ?)"));
  RETURN_IF_ERROR(remove.Bind(now_ms - kKeepExpiredCheckpointMs).Bind(limit).Run());
  return db.Changes();
}

}  // namespace conversation
