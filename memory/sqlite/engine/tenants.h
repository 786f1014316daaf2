// The tenants of a data directory, a file each, and an LRU of open stores. Access control is
// api/gate.h.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "memory/sqlite/store/sqlite_store.h"

namespace memory {

// The name of a tenant's file is hex(sha256(name)). Its WAL, a lock and names.json are beside it.
inline constexpr size_t kTenantFileDigits = 64;

class Tenants {
 public:
  // At most `most_open` stores; the least recently used is closed for another. Their resident
  // indexes share one budget, and so do their uploads and copies.
  Tenants(std::string directory, StoreOptions options, size_t most_open);
  ~Tenants();  // Close()

  // The store of a tenant, opened or created if necessary. It stays open while somebody holds it.
  // Any thread. kUnavailable: all `most_open` stores are in use, or Close was called; other errors
  // are those of SqliteStore::Open.
  base::Result<std::shared_ptr<SqliteStore>> Acquire(const std::string& name);

  // Tenants whose file has a WAL: the file is open, or a crash left it so. Opening such a file
  // finishes its pending work.
  std::vector<std::string> Unclosed();

  // The store of a tenant if it is open, else null. Does not count as a use.
  std::shared_ptr<SqliteStore> IfOpen(const std::string& name);

  // The next open tenant by name after `name`; sets `name`. Null: `name` was the last.
  std::shared_ptr<SqliteStore> NextOpen(std::string& name);

  base::Status ProbeWrite();    // ok: a write would succeed now
  bool Failed() const;          // a sync failed: no store opens any more, the process must exit
  size_t QueuedWrites() const;  // of all open stores
  size_t Open() const;
  // Of the open stores: sums, and the maxima (most_…, longest_log) of one store.
  struct Usage {
    int64_t rows = 0, most_rows = 0, most_bytes = 0;
    int64_t due_erasures = 0, longest_log = 0, remote_gaps = 0, uncut_rows = 0;
  };
  Usage Used() const;
  size_t IndexBytes() const;   // resident indexes of all stores
  int64_t SpoolBytes() const;  // uploads and copies on disk, of all stores
  void Close();                // finishes queued writes; requires that nobody holds a store

 private:
  enum class State { kOpening, kOpen, kClosing };
  struct Entry {
    State state = State::kOpening;
    std::shared_ptr<SqliteStore> store;  // kOpen
    uint64_t used = 0;                   // last use, in uses_
  };
  using Lock = std::unique_lock<std::mutex>;
  std::shared_ptr<SqliteStore> FindOpen(const std::string& name, Lock& lock);
  base::Status MakeRoom(Lock& lock);
  base::Result<base::Json> ReadNames();
  base::Result<std::string> FileOf(const std::string& name);
  base::Status Replace(const std::string& file, const std::string& content);
  void CloseOne(std::map<std::string, Entry>::iterator place, Lock& lock);

  const std::string directory_;
  const StoreOptions options_;
  const size_t most_open_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::map<std::string, Entry> entries_;
  uint64_t uses_ = 0;
  bool failed_ = false, closed_ = false;
  std::mutex names_mutex_;  // names.json
};

}  // namespace memory
