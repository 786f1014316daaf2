// The store of one tenant as one SQLite file: its opening, its checks, its full-text index.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "memory/sqlite/store/sql_store.h"
#include "memory/volume/spool.h"

namespace memory {

class SqliteStore final : public SqlStore {
 public:
  // Opens or makes the file; migrates it.
  static base::Result<std::unique_ptr<SqliteStore>> Open(const std::string& path,
                                                         StoreOptions options);
  ~SqliteStore();

  void Close() override;
  int64_t DueErasures() const override;
  base::Result<bool> CutWords() override;
  int64_t UncutRows() const override;

  base::Status CheckIntegrity();  // of tables and index; blocks writes for long
  // The same in the background: a large file is checked on a copy made in steps, so that no write
  // waits and the WAL stays short; the check of the index uses the copy of the tables check.
  // kInternal: corruption. `stop` ends them with kTimeout or kUnavailable. kFull: no space for the
  // copy.
  base::Status CheckTables(std::stop_token stop);
  base::Status CheckIndex(std::stop_token stop);
  base::Status RebuildIndex();  // from the rows; blocks writes. kFull

 private:
  base::Result<Spool> CopyInSteps(const std::stop_token& stop);
  base::Status CheckTablesInPlace(std::stop_token stop);
  using SqlStore::SqlStore;
};

// Store::OpenCopy without a store.
base::Result<std::shared_ptr<ExportCursor>> OpenForeign(const std::string& path);

}  // namespace memory
