// The table, its totals and its statements.
#include "lib/conversation/working/field_table.h"

#include <utility>

#include "lib/base/json/stored.h"
#include "lib/conversation/working/field_import.h"

namespace conversation {
namespace {

using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;

#define WORKING_FIELDS                                                                 \
  "SELECT number, fields, version, ttl_ms, expires_ms, row_is_sound('working_memory'," \
  " number, checksum, conversation, fields), conversation FROM working_memory "

Result<WorkingFields> FieldsAt(const sqlite::Statement& row) {
  WorkingFields found;
  ASSIGN_OR_RETURN(Json fields, base::ParseStored(row.Text(1), nullptr));
  if (row.Int(5) == 0 || !fields.is_object()) {
    return Error{Code::kInternal,
                 "the disk changed the working memory of this conversation; delete it"};
  }
  found.fields = std::move(fields);
  found.version = row.Int(2);
  found.ttl_ms = row.Int(3);
  found.expires_ms = row.Int(4);
  return found;
}

// The row, expired or not, with its latest expiry; nullopt: no row.
Result<std::optional<WorkingFields>> FindRow(sqlite::Database& db, const std::string& conversation,
                                             const FieldTime& time) {
  ASSIGN_OR_RETURN(auto query, db.Prepare(WORKING_FIELDS "WHERE conversation = ?"));
  ASSIGN_OR_RETURN(const bool there, query.Bind(conversation).Step());
  if (!there) return std::optional<WorkingFields>();
  ASSIGN_OR_RETURN(WorkingFields row, FieldsAt(query));
  row.expires_ms = time.refreshes.Latest(conversation, {row.version, row.expires_ms});
  return std::optional<WorkingFields>(std::move(row));
}

Status CheckRoom(sqlite::Database& db, const std::string& owner, int64_t added_bytes, bool is_new) {
  ASSIGN_OR_RETURN(auto query, db.Prepare("SELECT conversations, bytes FROM working_memory_totals"
                                          " WHERE owner = ?"));
  ASSIGN_OR_RETURN(const bool there, query.Bind(owner).Step());
  const int64_t conversations = there ? query.Int(0) : 0, bytes = there ? query.Int(1) : 0;
  if (is_new && conversations >= kMaxFieldConversations) {
    return Error{Code::kFull, "there is working memory of " + std::to_string(conversations) +
                                  " conversations, the limit is " +
                                  std::to_string(kMaxFieldConversations) +
                                  "; delete some or let it expire"};
  }
  if (added_bytes <= 0 || bytes + added_bytes <= kMaxFieldsOfOwner) return {};
  return Error{Code::kFull, "the working memory of all conversations has " + std::to_string(bytes) +
                                " bytes, the limit is " + std::to_string(kMaxFieldsOfOwner) +
                                "; delete some or let it expire"};
}

Status Store(sqlite::Database& db, const std::string& owner, const std::string& conversation,
             const WorkingFields& fields) {
  ASSIGN_OR_RETURN(
      auto write,
      db.Prepare("INSERT INTO working_memory(owner, conversation, fields, bytes, version, ttl_ms,"
                 " expires_ms, checksum) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, row_checksum(?2, ?3))"
                 " ON CONFLICT(conversation) DO UPDATE SET fields = excluded.fields,"
                 " bytes = excluded.bytes, version = excluded.version, ttl_ms = excluded.ttl_ms,"
                 " expires_ms = excluded.expires_ms, checksum = excluded.checksum"));
  write.Bind(owner).Bind(conversation).Bind(base::DumpJson(fields.fields));
  write.Bind(static_cast<int64_t>(BytesOfFields(fields.fields))).Bind(fields.version);
  return write.Bind(fields.ttl_ms).Bind(fields.expires_ms).Run();
}

}  // namespace

const char* const kFieldsStep = R"sql(
CREATE TABLE working_memory(
  number INTEGER PRIMARY KEY,
  owner TEXT NOT NULL,
  conversation TEXT NOT NULL UNIQUE,
  fields TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  version INTEGER NOT NULL,
  ttl_ms INTEGER NOT NULL,
  expires_ms INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;
CREATE INDEX working_memory_by_end ON working_memory(expires_ms);
CREATE TABLE working_memory_clock(
  only_one INTEGER PRIMARY KEY CHECK(only_one = 1),
  now_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE working_memory_totals(
  owner TEXT PRIMARY KEY NOT NULL,
  conversations INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER working_memory_made AFTER INSERT ON working_memory BEGIN
  INSERT INTO working_memory_totals VALUES(new.owner, 1, new.bytes) ON CONFLICT(owner)
    DO UPDATE SET conversations = conversations + 1, bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER working_memory_changed AFTER UPDATE OF bytes ON working_memory BEGIN
  UPDATE working_memory_totals SET bytes = bytes + new.bytes - old.bytes WHERE owner = new.owner;
END;
CREATE TRIGGER working_memory_gone AFTER DELETE ON working_memory BEGIN
  UPDATE working_memory_totals SET conversations = conversations - 1, bytes = bytes - old.bytes
    WHERE owner = old.owner;
  DELETE FROM working_memory_totals WHERE owner = old.owner AND conversations = 0;
END;
)sql";

Result<WorkingFields> ReadFields(sqlite::Database& db, const std::string& conversation,
                                 const FieldTime& time) {
  ASSIGN_OR_RETURN(auto row, FindRow(db, conversation, time));
  if (!row || row->expires_ms <= time.now_ms) return WorkingFields();
  return *std::move(row);
}

Result<WorkingFields> WriteFields(sqlite::Database& db, const FieldWrite& write,
                                  const FieldTime& time) {
  ASSIGN_OR_RETURN(auto row, FindRow(db, write.conversation, time));
  const bool is_new = !row;
  const int64_t given = row ? row->version : 0;  // also of expired fields
  const auto bytes_before = static_cast<int64_t>(row ? BytesOfFields(row->fields) : 0);
  WorkingFields fields = row && row->expires_ms > time.now_ms ? *std::move(row) : WorkingFields();
  if (write.expected && *write.expected != fields.version) {
    return Error{Code::kConflict, "the working memory of this conversation has version " +
                                      std::to_string(fields.version) + ", not " +
                                      std::to_string(*write.expected) + "; nothing was changed"};
  }
  ASSIGN_OR_RETURN(fields.fields,
                   MergeWorkingFields(std::move(fields.fields), write.changes.fields));
  const auto bytes = static_cast<int64_t>(BytesOfFields(fields.fields));
  RETURN_IF_ERROR(CheckRoom(db, write.owner, bytes - bytes_before, is_new));
  fields.version = given + 1;
  fields.ttl_ms = write.changes.ttl_ms.value_or(fields.ttl_ms);
  fields.expires_ms = time.now_ms + (fields.ttl_ms > 0 ? fields.ttl_ms : write.default_ttl_ms);
  RETURN_IF_ERROR(Store(db, write.owner, write.conversation, fields));
  return fields;
}

Status SetLife(sqlite::Database& db, const std::string& conversation, int64_t ttl_ms,
               int64_t expires_ms) {
  ASSIGN_OR_RETURN(auto update, db.Prepare("UPDATE working_memory SET ttl_ms = ?2, expires_ms = ?3"
                                           " WHERE conversation = ?1"));
  return update.Bind(conversation).Bind(ttl_ms).Bind(expires_ms).Run();
}

Result<int64_t> DeleteFields(sqlite::Database& db, const std::string& conversation,
                             const std::optional<std::vector<std::string>>& names,
                             const FieldTime& time) {
  auto row = FindRow(db, conversation, time);
  if (!row && (names || row.error().code != Code::kInternal)) return row.error();
  WorkingFields fields;
  if (row) {
    if (!*row || (*row)->expires_ms <= time.now_ms) return int64_t{0};
    fields = **std::move(row);
  }
  const size_t before = fields.fields.size();
  if (names) {
    for (const std::string& name : *names) fields.fields.erase(name);
  } else {
    fields.fields = Json::object();
  }
  const auto deleted = static_cast<int64_t>(before - fields.fields.size());
  if (deleted == 0 && row) return deleted;
  ++fields.version;
  // Empty fields are expired; their row keeps the version for kKeepExpiredMs.
  if (fields.fields.empty()) fields.expires_ms = time.now_ms, fields.ttl_ms = 0;
  RETURN_IF_ERROR(Store(db, "", conversation, fields));
  return deleted;
}

Status WriteRefreshes(sqlite::Database& db, const FieldRefreshes::ByConversation& refreshes) {
  for (const auto& [conversation, refresh] : refreshes) {
    ASSIGN_OR_RETURN(auto update,
                     db.Prepare("UPDATE working_memory SET expires_ms = max(expires_ms, ?3)"
                                " WHERE conversation = ?1 AND version = ?2"));
    update.Bind(conversation).Bind(refresh.version).Bind(refresh.expires_ms);
    RETURN_IF_ERROR(update.Run());
  }
  return {};
}

Result<int64_t> RemoveExpiredFields(sqlite::Database& db, int64_t now_ms, int64_t limit) {
  ASSIGN_OR_RETURN(auto remove,
                   db.Prepare("DELETE FROM working_memory WHERE number IN (SELECT number FROM"
                              " working_memory WHERE expires_ms <= ? ORDER BY expires_ms"
                              " LIMIT ?)"));
  RETURN_IF_ERROR(remove.Bind(now_ms - kKeepExpiredMs).Bind(limit).Run());
  return db.Changes();
}

Result<std::string> WalkFields(sqlite::Database& db, const std::string& owner,
                               const std::string& after, int64_t limit, const FieldTime& time,
                               const OnFields& on_fields) {
  ASSIGN_OR_RETURN(auto query, db.Prepare(WORKING_FIELDS "WHERE conversation > ?1 AND owner = ?2"
                                                         " ORDER BY conversation LIMIT ?3"));
  query.Bind(after).Bind(owner).Bind(limit);
  std::string last;
  RETURN_IF_ERROR(query.ForEachRow([&](const sqlite::Statement& row) -> Status {
    last = row.Text(6);
    auto fields = FieldsAt(row);
    if (!fields) return {};  // exports leave out rows that changed on disk
    fields->expires_ms = time.refreshes.Latest(last, {fields->version, fields->expires_ms});
    if (fields->expires_ms <= time.now_ms) return {};
    return on_fields(last, *fields);
  }));
  return last;
}

}  // namespace conversation
