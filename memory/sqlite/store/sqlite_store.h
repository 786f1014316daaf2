// The store of one tenant as one SQLite file: the calls of the engine beside those of store.h.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "memory/sqlite/store/options.h"
#include "memory/sqlite/store/remote_gaps.h"
#include "memory/store/engine.h"
#include "memory/store/store.h"

namespace memory {

class SqliteStore final : public Store {
 public:
  // Opens or makes the file; migrates it.
  static base::Result<std::unique_ptr<SqliteStore>> Open(const std::string& path,
                                                         StoreOptions options);
  ~SqliteStore();

  // One round of retention: hides rows that expired (which reads skip already) or exceed a cap, and
  // removes rows that were hidden or deleted long ago. In small batches; `stop` ends it. One
  // thread.
  base::Result<Swept> Sweep(std::stop_token stop);
  // Persists which rows were read or found; a crash loses unpersisted uses.
  base::Status KeepUses();
  size_t CountUses() const;  // not persisted
  // Persists which working memory was read, with a delay.
  base::Status KeepFieldsIfDue();

  // One short background step: adds vectors to some rows without one of the embedder. False: none
  // is left. Called by the sweeping thread.
  base::Result<bool> FillVectors();

  // The same: cuts the words of some rows or items of an earlier version anew (tables/uncut.h).
  // Searches find all rows meanwhile.
  base::Result<bool> CutWords();
  int64_t UncutRows() const;  // and items; 0 before the first step

  // The rows for one request to the remote model; and their vectors in the same order. The request
  // runs between both calls, without the store.
  base::Result<RemoteBatch> NextRemoteBatch(int64_t model);
  base::Status PutRemoteVectors(const RemoteBatch& batch, int64_t model,
                                const std::vector<std::vector<int8_t>>& vectors);
  size_t RemoteGapCount() const;

  base::Status ProbeWrite();  // ok: a write would succeed now
  size_t QueuedWrites() const;
  struct IndexFigures {
    size_t bytes = 0, projects = 0;  // of resident indexes
    int64_t served = 0, missed = 0;  // queries answered by them, and not
  };
  IndexFigures Indexes() const;
  base::Status CheckIntegrity();  // of tables and index; blocks writes for long
  // The same in the background: a large file is checked on a copy made in steps, so that no write
  // waits and the WAL stays short; the check of the index uses the copy of the tables check.
  // kInternal: corruption. `stop` ends them with kTimeout or kUnavailable. kFull: no space for the
  // copy.
  base::Status CheckTables(std::stop_token stop);
  base::Status CheckIndex(std::stop_token stop);
  base::Status RebuildIndex();  // from the rows; blocks writes. kFull
  struct Used {
    int64_t rows = 0, bytes = 0;  // as TenantQuota counts them
    int64_t log_bytes = 0;        // of a long WAL that is not checkpointed
  };
  Used Usage() const;
  int64_t DueErasures() const;  // hard deletes whose words may be in the file
  const std::string& path() const;
  void CloseIdleReaders();  // connections that were idle for a minute
  void Close();             // finishes queued writes

 private:
  base::Result<Spool> CopyInSteps(const std::stop_token& stop);
  base::Status CheckTablesInPlace(std::stop_token stop);
  using Store::Store;
};

// Store::OpenCopy without a store.
base::Result<std::shared_ptr<ExportCursor>> OpenForeign(const std::string& path);

}  // namespace memory
