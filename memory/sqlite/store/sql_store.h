// The store of one tenant over lib/sql: the calls of an engine beside those of store.h.
#pragma once

#include <stop_token>
#include <vector>

#include "memory/sqlite/store/options.h"
#include "memory/sqlite/store/remote_gaps.h"
#include "memory/store/engine.h"
#include "memory/store/store.h"

namespace memory {

class SqlStore : public Store {
 public:
  virtual ~SqlStore() = default;
  virtual void Close() = 0;                          // finishes queued writes; again is harmless
  virtual int64_t DueErasures() const { return 0; }  // hard deletes whose words the engine has
  // One short background step: cuts the words of some rows or items of an earlier version anew
  // (tables/uncut.h). Searches find all rows meanwhile. False: none is left.
  virtual base::Result<bool> CutWords() { return false; }
  virtual int64_t UncutRows() const { return 0; }  // and items; 0 before the first step
  const std::string& path() const;                 // of the file, or of spools
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
  struct Used {
    int64_t rows = 0, bytes = 0;  // as TenantQuota counts them
    int64_t log_bytes = 0;        // of a long WAL that is not checkpointed
  };
  Used Usage() const;
  void CloseIdleReaders();  // connections that were idle for a minute

 protected:
  using Store::Store;
  // Lists what other processes changed, as far as background rounds need it.
  virtual base::Status NoteChanges() { return {}; }
  // Whether this process does the round: with several, one of them.
  virtual base::Result<bool> MaySweep() { return true; }
  void KeepAll();  // what only memory has, before the store closes
};

}  // namespace memory
