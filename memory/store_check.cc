// Looking for damage in a store's file, and making its full-text index again from the rows. When
// that is done, and what follows, is in soundness_checks.h.
#include <sys/stat.h>

#include "memory/store_export.h"
#include "memory/store_schema.h"
#include "memory/store_state.h"

namespace memory {

using base::Result;
using base::Status;
using sqlite::Access;
using sqlite::Database;

namespace {

// FTS5 checks its index under the write lock: some 100 ms for a file of this size.
constexpr int64_t kSmallBytes = 4 << 20;

// What keeps a check from being made says nothing about the file.
Status NotMade(const base::Error& error) {
  const bool fault = error.code == base::Code::kInternal;
  return base::Error{fault ? base::Code::kUnavailable : error.code, error.message};
}

int64_t SizeOf(const std::string& path) {
  struct stat facts {};
  return stat(path.c_str(), &facts) == 0 ? facts.st_size : 0;
}

}  // namespace

Status Store::CheckIntegrity() {
  return state_->writer->RunAny(
      [](Database& database) { return database.CheckIntegrity({kFtsTable}); },
      sqlite::Writer::Room::kGives);  // on a full volume, too
}

Status Store::CheckTables(std::stop_token stop) {
  Result<Database> database = Database::Open(state_->path, state_->Reading());
  if (!database) return NotMade(database.error());
  database->SetDeadline(0, std::move(stop));
  return database->CheckIntegrity({});
}

Status Store::CheckIndex(std::stop_token stop) {
  if (SizeOf(state_->path) <= kSmallBytes) {
    return state_->writer->RunAny([](Database& database) { return database.CheckIndex(kFtsTable); },
                                  sqlite::Writer::Room::kGives);
  }
  ASSIGN_OR_RETURN(Spool spool, NewSpool());
  if (Status copied = CopyInto(state_->path, spool, stop); !copied) return NotMade(copied.error());
  Database::Options working;
  working.access = Access::kScratch;
  ASSIGN_OR_RETURN(Database copy, Database::Open(spool.path(), working));
  copy.SetDeadline(0, std::move(stop));
  return copy.CheckIndex(kFtsTable);
}

Status Store::RebuildIndex() {
  ASSIGN_OR_RETURN(Spool spool, NewSpool());
  // The log holds the new index for a while.
  RETURN_IF_ERROR(spool.CheckRoom(SizeOf(state_->path)));
  RETURN_IF_ERROR(state_->writer->RunAny([](Database& database) {
    return database.Execute("INSERT INTO words(words) VALUES('rebuild')");
  }));
  state_->index_damaged = false;
  return {};
}

}  // namespace memory
