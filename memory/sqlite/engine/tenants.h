// The tenants of a data directory, a file each, and those that are open. Access control is
// api/gate.h.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "memory/sqlite/engine/open_stores.h"
#include "memory/sqlite/store/sqlite_store.h"

namespace memory {

// The name of a tenant's file is hex(sha256(name)). Its WAL, a lock and names.json are beside it.
inline constexpr size_t kTenantFileDigits = 64;

class Tenants {
 public:
  // At most `most_open` stores; the least recently used is closed for another. Their resident
  // indexes share one budget, and so do their uploads and copies.
  Tenants(std::string directory, StoreOptions options, size_t most_open);

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

  base::Status ProbeWrite();  // ok: a write would succeed now
  bool Failed() const;        // a sync failed: no store opens any more, the process must exit
  OpenStores& stores() { return stores_; }
  size_t IndexBytes() const;         // resident indexes of all stores
  int64_t SpoolBytes() const;        // uploads and copies on disk, of all stores
  void Close() { stores_.Close(); }  // finishes queued writes; requires that nobody holds a store

 private:
  base::Result<base::Json> ReadNames();
  base::Result<std::string> FileOf(const std::string& name);
  base::Status Replace(const std::string& file, const std::string& content);

  const std::string directory_;
  std::atomic<bool> failed_{false};
  const StoreOptions options_;
  std::mutex names_mutex_;  // names.json
  OpenStores stores_;
};

}  // namespace memory
