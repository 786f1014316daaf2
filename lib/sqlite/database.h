// A connection to an SQLite file. Opening sets every pragma that durability depends on and reads it
// back.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/process/clock.h"
#include "lib/base/result.h"
#include "lib/sql/database.h"

namespace sqlite {

enum class Access {
  kWriter,   // WAL, synchronous FULL; the one connection of a file that writes and checkpoints
  kReader,   // query_only, no checkpoints
  kCopier,   // a reader that may create another file: for VACUUM INTO only
  kScratch,  // a temporary file, disposable after a crash: no journal, no sync
  kMemory,   // no file: tables in the memory of the process
  kForeign,  // an untrusted file: read-only, immutable, its schema calls no functions
};

struct Connection;  // connection.h
using sql::Statement;
using sql::TimeLimit;
using sql::Transaction;
using sql::UnsoundRow;

class Database final : public sql::Database {
 public:
  struct Options {
    Access access = Access::kWriter;
    int cache_kib = 2048;
    // Receives each error that reports corruption, and each that makes the connection Broken, on
    // the thread of the call.
    std::function<void(const base::Error&)> on_damage = nullptr, on_broken = nullptr;
    const base::Clock* clock = nullptr;  // for deadlines; null: the system's
  };
  // Opens or creates the file (mode 0600); a writer checkpoints the WAL that an earlier process
  // left. kInvalid: a pragma that does not take effect, an SQLite without FTS5 or too old, a
  // network file system; kConflict: this process writes the file already; kFull; kInternal with
  // SQLite's message.
  static base::Result<Database> Open(const std::string& path, const Options& options);

  Database(Database&&) noexcept = default;
  Database& operator=(Database&&) noexcept = default;

  base::Result<Statement> Prepare(std::string_view sql) override;
  base::Status Execute(const char* script) override;
  int64_t LastInsertId() const;
  int64_t Changes() const override;
  base::Status WithinLimits() override;
  bool HasFullTextIndex() const override { return true; }
  base::Status BeginReading() override { return RunCached("BEGIN"); }
  base::Status EndReading() override { return RunCached("ROLLBACK"); }
  // PRAGMA integrity_check, and CheckIndex for each fts table.
  base::Status CheckIntegrity(const std::vector<std::string>& fts_tables);
  // FTS5 'integrity-check' with rank 1, which compares the index with its content table. Takes the
  // write lock. `fts_table` is a literal of this program.
  base::Status CheckIndex(const std::string& fts_table);
  // For the writer only. Checkpoints the WAL into the file and syncs the file; kEmpty also
  // truncates the WAL and drops cached pages, so that no later write contains their old bytes.
  // kUnavailable: readers still need a part of the WAL after `wait_ms`; kFull.
  enum class Log { kKeep, kEmpty };
  base::Status Checkpoint(Log log, int wait_ms = 0);
  // For the writer only. Zeroes remains of deleted rows in `count` pages of the file from page
  // `first` (zero-based) on, for files of earlier versions (clean_pages.h). → the page to continue
  // at; 0: the end.
  base::Result<int64_t> CleanPages(int64_t first, int64_t count);
  int LogPages() const;      // in the WAL after the last commit; 0: all of them are in the file
  int64_t LogBytes() const;  // of those
  base::Result<int64_t> ReusableBytes();       // on the freelist of the file
  base::Result<int64_t> UsedBytes() override;  // of the others, as this connection sees the file
  // A write or a sync failed for another reason than space: the process must acknowledge nothing
  // more, exit, and restart from what is on disk.
  bool Broken() const;
  bool MetDamage() const;  // a call reported corruption since ForgetDamage
  void ForgetDamage();
  bool MetFull() const;  // a call reported a full disk since ForgetFull
  void ForgetFull();
  std::vector<UnsoundRow> TakeUnsoundRows() override;
  sqlite3* handle() const;  // for FTS5 auxiliary functions and the backup API only

 private:
  explicit Database(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}
  base::Status SetUp(const std::string& path, const Options& options);
  base::Result<int64_t> Number(const char* pragma);
  base::Status RunCached(const char* statement);
  const std::shared_ptr<sql::Limits>& limits() const override;
  base::Result<int> Begin() override;  // BEGIN IMMEDIATE
  base::Status Commit(int depth) override;
  void RollBack(int depth) override;
  std::shared_ptr<Connection> connection_;
};

// A versioned schema: step i brings user_version from i to i+1, each in one transaction. A file
// newer than `steps` is refused with kInvalid.
base::Status Migrate(Database& database, const std::vector<const char*>& steps);

}  // namespace sqlite
