// Statements over shared_items. Triggers (schema.cc) count rows and bytes of an owner.
#include "memory/sqlite/shared/shared_rows.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;
using sqlite::Database;
using sqlite::Statement;

namespace {

constexpr int64_t kSharedOverBatch = 500;

struct Kept {
  int64_t rows = 0, bytes = 0;
};

Result<Kept> KeptBy(Database& database, const std::string& owner) {
  ASSIGN_OR_RETURN(Statement read,
                   database.Prepare("SELECT rows, bytes FROM shared_owners WHERE owner = ?1"));
  ASSIGN_OR_RETURN(auto kept, read.Bind(owner).ReadFirst([](const Statement& row) {
    return Kept{row.Int(0), row.Int(1)};
  }));
  return kept.value_or(Kept());
}

int64_t BytesOf(const SharedItem& item) {
  return static_cast<int64_t>(item.key.size() + item.value.size());
}

Error Full(const char* limit, const std::string& owner, int64_t value, int64_t most,
           const char* what) {
  return Error{Code::kFull, std::string(limit) + ": Agent " + owner + " would share " +
                                std::to_string(value) + what + ", the limit is " +
                                std::to_string(most) + "; nothing was stored: delete some first"};
}

// Whether the item fits into the limits of its owner.
Status Fits(Database& database, const SharedItem& item, const std::optional<SharedRow>& before) {
  ASSIGN_OR_RETURN(Kept kept, KeptBy(database, item.owner));
  const int64_t bytes = kept.bytes + BytesOf(item) - (before ? before->bytes : 0);
  if (!before && kept.rows >= kMostSharedKeys)
    return Full("shared-keys", item.owner, kept.rows + 1, kMostSharedKeys, " keys");
  if (bytes > kMostSharedBytes)
    return Full("shared-bytes", item.owner, bytes, kMostSharedBytes, " bytes");
  if (before || kept.rows > 0) return {};
  ASSIGN_OR_RETURN(Statement count, database.Prepare("SELECT count(*) FROM shared_owners"));
  ASSIGN_OR_RETURN(auto owners, count.ReadFirst([](const Statement& row) { return row.Int(0); }));
  if (owners.value_or(0) < kMostSharedOwners) return {};
  return Error{Code::kFull, "shared-owners: " + std::to_string(kMostSharedOwners) +
                                " Agents of this namespace share something, which is the limit; "
                                "nothing was stored: delete what one of them shares first"};
}

}  // namespace

Result<std::optional<SharedRow>> FindShared(Database& database, const std::string& owner,
                                            const std::string& key, int64_t now_ms) {
  ASSIGN_OR_RETURN(Statement read,
                   database.Prepare("SELECT slot, version, bytes, over_ms FROM shared_items "
                                    "WHERE owner = ?1 AND key = ?2"));
  return read.Bind(owner).Bind(key).ReadFirst([&](const Statement& row) {
    return SharedRow{row.Int(0), row.Int(1), row.Int(2), !row.IsNull(3) && row.Int(3) <= now_ms};
  });
}

Status WriteShared(Database& database, const SharedItem& item,
                   const std::optional<SharedRow>& before, int64_t now_ms) {
  if (Status fits = Fits(database, item, before); !fits) {
    ASSIGN_OR_RETURN(int64_t removed,
                     RemoveSharedOver(database, item.owner, now_ms, kSharedOverBatch));
    if (removed == 0) return fits.error();
    ASSIGN_OR_RETURN(auto still, FindShared(database, item.owner, item.key, now_ms));
    return WriteShared(database, item, still, now_ms);
  }
  ASSIGN_OR_RETURN(Statement write,
                   database.Prepare("INSERT INTO shared_items(owner, key, version, over_ms, bytes, "
                                    "value) VALUES(?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT(owner, key) "
                                    "DO UPDATE SET version = excluded.version, over_ms = "
                                    "excluded.over_ms, bytes = excluded.bytes, value = "
                                    "excluded.value"));
  write.Bind(item.owner).Bind(item.key).Bind(item.version).Bind(item.over_ms);
  return write.Bind(BytesOf(item)).Bind(item.value).Run();
}

Status RemoveShared(Database& database, int64_t slot) {
  ASSIGN_OR_RETURN(Statement drop, database.Prepare("DELETE FROM shared_items WHERE slot = ?1"));
  return drop.Bind(slot).Run();
}

Result<int64_t> RemoveSharedOver(Database& database, const std::string& owner, int64_t now_ms,
                                 int64_t most) {
  ASSIGN_OR_RETURN(
      Statement drop,
      database.Prepare("DELETE FROM shared_items WHERE slot IN (SELECT slot FROM shared_items "
                       "WHERE over_ms <= ?2 AND (?1 = '' OR owner = ?1) LIMIT ?3)"));
  RETURN_IF_ERROR(drop.Bind(owner).Bind(now_ms).Bind(most).Run());
  return database.Changes();
}

Result<int64_t> TakeSharedVersion(Database& database) {
  ASSIGN_OR_RETURN(
      Statement raise,
      database.Prepare("UPDATE counters SET value = value + 1 WHERE name = 'shared_version'"));
  RETURN_IF_ERROR(raise.Run());
  ASSIGN_OR_RETURN(Statement read,
                   database.Prepare("SELECT value FROM counters WHERE name = 'shared_version'"));
  ASSIGN_OR_RETURN(auto version, read.ReadFirst([](const Statement& row) { return row.Int(0); }));
  return version.value_or(0);
}

}  // namespace memory
