// The calls of shared_items.h.
#include "memory/sqlite/shared/sqlite_shared.h"

#include "memory/sqlite/shared/shared_rows.h"
#include "memory/store/items.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;
using sqlite::Database;
using sqlite::Statement;
using sqlite::Writer;

namespace {

constexpr int64_t kSharedSweepBatch = 200;

Error NoSharedItem(const std::string& owner, const std::string& key) {
  return Error{Code::kNotFound, "there is no shared memory " + owner + "/" + key + " for you"};
}

std::optional<int64_t> LiveVersion(const std::optional<SharedRow>& row) {
  return row && !row->over ? std::optional(row->version) : std::nullopt;
}

}  // namespace

Result<SharedWritten> SqliteShared::Put(const SharedItem& given, int64_t ttl_ns,
                                        const Precondition& condition) {
  RETURN_IF_ERROR(parts_.admit());
  return parts_.writer.Run<SharedWritten>([&](Database& database) -> Result<SharedWritten> {
    const int64_t now_ms = parts_.aged_ms();
    ASSIGN_OR_RETURN(auto before, FindShared(database, given.owner, given.key, now_ms));
    if (!condition.Holds(LiveVersion(before))) return SharedWritten{0, false, true};
    SharedItem item = given;
    ASSIGN_OR_RETURN(item.version, TakeSharedVersion(database));
    item.over_ms = OverMs(now_ms, ttl_ns);
    RETURN_IF_ERROR(WriteShared(database, item, before, now_ms));
    return SharedWritten{item.version, !before || before->over, false};
  });
}

Result<SharedWritten> SqliteShared::Remove(const std::string& owner, const std::string& key,
                                           const Precondition& condition) {
  return parts_.writer.Run<SharedWritten>(
      [&](Database& database) -> Result<SharedWritten> {
        ASSIGN_OR_RETURN(auto row, FindShared(database, owner, key, parts_.aged_ms()));
        if (!condition.Holds(LiveVersion(row))) return SharedWritten{0, false, true};
        if (!row || row->over) return NoSharedItem(owner, key);
        RETURN_IF_ERROR(RemoveShared(database, row->slot));
        return SharedWritten{row->version, false, false};
      },
      Writer::Room::kGives);
}

Result<SharedItem> SqliteShared::Get(const std::string& owner, const std::string& key) {
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(parts_.readers));
  ASSIGN_OR_RETURN(Statement read, snapshot.database().Prepare(
                                       "SELECT version, value FROM shared_items WHERE owner = ?1 "
                                       "AND key = ?2 AND (over_ms IS NULL OR over_ms > ?3)"));
  ASSIGN_OR_RETURN(
      auto item,
      read.Bind(owner).Bind(key).Bind(parts_.aged_ms()).ReadFirst([&](const Statement& row) {
        return SharedItem{owner, key, row.Text(1), row.Int(0)};
      }));
  if (!item) return NoSharedItem(owner, key);
  return *std::move(item);
}

Result<std::vector<std::string>> SqliteShared::Owners(const std::string& first, size_t limit) {
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(parts_.readers));
  ASSIGN_OR_RETURN(Statement read,
                   snapshot.database().Prepare("SELECT owner FROM shared_owners WHERE owner >= ?1 "
                                               "ORDER BY owner LIMIT ?2"));
  return read.Bind(first).Bind(static_cast<int64_t>(limit)).ReadAll([](const Statement& row) {
    return row.Text(0);
  });
}

Result<std::vector<SharedItem>> SqliteShared::List(const std::string& owner,
                                                   const std::string& after, size_t limit,
                                                   size_t bytes) {
  ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::Begin(parts_.readers));
  ASSIGN_OR_RETURN(
      Statement read,
      snapshot.database().Prepare(
          "SELECT key, version, over_ms, value FROM shared_items WHERE owner = ?1 AND key > ?2 AND "
          "(over_ms IS NULL OR over_ms > ?3) ORDER BY key LIMIT ?4"));
  read.Bind(owner).Bind(after).Bind(parts_.aged_ms()).Bind(static_cast<int64_t>(limit));
  std::vector<SharedItem> items;
  size_t taken = 0;
  RETURN_IF_ERROR(read.ForEachRow([&](const Statement& row) {
    SharedItem item{owner, row.Text(0), row.Text(3), row.Int(1)};
    if (!row.IsNull(2)) item.over_ms = row.Int(2);
    taken += item.key.size() + item.value.size();
    items.push_back(std::move(item));
    return taken <= bytes;
  }));
  return items;
}

Result<int64_t> SqliteShared::Sweep(const std::stop_token& stop) {
  int64_t total = 0;
  while (!stop.stop_requested()) {
    {  // most rounds find nothing and write nothing
      ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::BeginUnhurried(parts_.readers));
      ASSIGN_OR_RETURN(Statement any, snapshot.database().Prepare(
                                          "SELECT 1 FROM shared_items WHERE over_ms <= ?1"));
      ASSIGN_OR_RETURN(bool found, any.Bind(parts_.aged_ms()).Step());
      if (!found) break;
    }
    ASSIGN_OR_RETURN(int64_t removed, parts_.writer.Run<int64_t>(
                                          [&](Database& database) {
                                            return RemoveSharedOver(database, "", parts_.aged_ms(),
                                                                    kSharedSweepBatch);
                                          },
                                          Writer::Room::kGives));
    total += removed;
  }
  return total;
}

}  // namespace memory
