// Checks a store's file for corruption and rebuilds its full-text index from the rows.
// soundness_checks.h decides when, and what follows.
#include <sys/stat.h>

#include <optional>

#include "lib/sqlite/stepped_copy.h"
#include "memory/sqlite/store/sqlite_store.h"
#include "memory/sqlite/store/state.h"
#include "memory/sqlite/tables/schema.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;
using sqlite::Access;

namespace {

// FTS5 checks its index under the write lock: some 100 ms for a file of up to this size.
constexpr int64_t kSmallBytes = 4 << 20;
constexpr int kPagesAStep = 256;  // of a copy, some ms between two batches of writes

// The error of a check that could not run: it says nothing about the file.
Status NotMade(const base::Error& error) {
  const bool fault = error.code == base::Code::kInternal;
  return base::Error{fault ? base::Code::kUnavailable : error.code, error.message};
}

Result<sqlite::Database> OpenScratch(const Spool& spool, std::stop_token stop) {
  sqlite::Database::Options working;
  working.access = Access::kScratch;
  Result<sqlite::Database> copy = sqlite::Database::Open(spool.path(), working);
  if (copy) copy->SetDeadline(0, std::move(stop));
  return copy;
}

int64_t SizeOf(const std::string& path) {
  struct stat facts {};
  return stat(path.c_str(), &facts) == 0 ? facts.st_size : 0;
}

}  // namespace

Status SqliteStore::CheckIntegrity() {
  return state_->file->writer->RunAny(
      [](sqlite::Database& database) { return database.CheckIntegrity({kFtsTable}); },
      sqlite::Writer::Space::kFrees);  // also on a full volume
}

// Holds no snapshot during the copy, so that the WAL can be truncated.
Result<Spool> SqliteStore::CopyInSteps(const std::stop_token& stop) {
  ASSIGN_OR_RETURN(Spool spool, Spool::Make(state_->path));
  RETURN_IF_ERROR(spool.CheckRoom(SizeOf(state_->path) + state_->usage.log_bytes()));
  sqlite::Database::Options working;
  working.access = Access::kScratch;
  ASSIGN_OR_RETURN(sqlite::Database copy, sqlite::Database::Open(spool.path(), working));
  auto steps = std::make_shared<std::optional<sqlite::SteppedCopy>>();
  Status copied = state_->file->writer->RunSteps(
      [&stop, &copy, steps = std::move(steps)](sqlite::Database& database) -> Result<bool> {
        if (stop.stop_requested()) return Error{Code::kTimeout, "the check was stopped"};
        if (!*steps) {
          ASSIGN_OR_RETURN(auto begun, sqlite::SteppedCopy::Begin(database, copy));
          steps->emplace(std::move(begun));
        }
        return (*steps)->Step(kPagesAStep);
      });
  if (!copied) return copied.error();
  return spool;
}

// Ends when the WAL exceeds its limit, like any long read.
Status SqliteStore::CheckTablesInPlace(std::stop_token stop) {
  Result<sqlite::Database> database = sqlite::Database::Open(state_->path, state_->file->reading);
  if (!database) return NotMade(database.error());
  std::stop_source either;
  const std::stop_callback stopped(stop, [&] { either.request_stop(); });
  const std::stop_callback too_long(state_->file->long_reads.token(),
                                    [&] { either.request_stop(); });
  database->SetDeadline(0, either.get_token());
  return database->CheckIntegrity({});
}

Status SqliteStore::CheckTables(std::stop_token stop) {
  state_->file->checked.reset();
  if (SizeOf(state_->path) <= kSmallBytes) return CheckTablesInPlace(std::move(stop));
  Result<Spool> copied = CopyInSteps(stop);
  if (!copied && copied.error().code == Code::kFull) return CheckTablesInPlace(std::move(stop));
  if (!copied) return NotMade(copied.error());
  auto spool = std::make_unique<Spool>(std::move(*copied));
  ASSIGN_OR_RETURN(sqlite::Database copy, OpenScratch(*spool, std::move(stop)));
  RETURN_IF_ERROR(copy.CheckIntegrity({}));
  state_->file->checked = std::move(spool);
  return {};
}

Status SqliteStore::CheckIndex(std::stop_token stop) {
  if (SizeOf(state_->path) <= kSmallBytes) {
    return state_->file->writer->RunAny(
        [](sqlite::Database& database) { return database.CheckIndex(kFtsTable); },
        sqlite::Writer::Space::kFrees);
  }
  std::unique_ptr<Spool> spool = std::move(state_->file->checked);
  if (!spool) {
    Result<Spool> copied = CopyInSteps(stop);
    if (!copied) return NotMade(copied.error());
    spool = std::make_unique<Spool>(std::move(*copied));
  }
  ASSIGN_OR_RETURN(sqlite::Database copy, OpenScratch(*spool, std::move(stop)));
  return copy.CheckIndex(kFtsTable);
}

Status SqliteStore::RebuildIndex() {
  ASSIGN_OR_RETURN(Spool spool, Spool::Make(state_->path));
  // The WAL contains the new index until a checkpoint.
  RETURN_IF_ERROR(spool.CheckRoom(SizeOf(state_->path)));
  RETURN_IF_ERROR(state_->file->writer->RunAny([](sqlite::Database& database) {
    return database.Execute("INSERT INTO words(words) VALUES('rebuild')");
  }));
  state_->file->index_damaged = false;
  return {};
}

}  // namespace memory
