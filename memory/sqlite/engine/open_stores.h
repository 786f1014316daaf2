// The open stores of an engine: an LRU of those that nobody holds.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "lib/base/result.h"
#include "memory/sqlite/store/sql_store.h"

namespace memory {

// Any thread.
class OpenStores {
 public:
  using Opener = std::function<base::Result<std::unique_ptr<SqlStore>>(const std::string& name)>;
  // At most `most_open` stores; the least recently used is closed for another.
  OpenStores(Opener open, size_t most_open) : open_(std::move(open)), most_open_(most_open) {}
  ~OpenStores() { Close(); }

  // The store of a tenant, opened if necessary. It stays open while somebody holds it.
  // kUnavailable: all `most_open` stores are in use, or no store opens any more; other errors are
  // those of the opener.
  base::Result<std::shared_ptr<SqlStore>> Acquire(const std::string& name);
  // Null: it is not open. Does not count as a use.
  std::shared_ptr<SqlStore> IfOpen(const std::string& name);
  // The next open one by name after `name`; sets `name`. Null: `name` was the last.
  std::shared_ptr<SqlStore> NextOpen(std::string& name);
  std::shared_ptr<SqlStore> Latest();  // the most recently used; null: none is open

  // No store opens any more. The first reason stays. False: there was one.
  bool Refuse(const char* reason);
  size_t Open() const;
  // Sums, and the maxima (most_…, longest_log) of one store.
  struct Usage {
    int64_t rows = 0, most_rows = 0, most_bytes = 0;
    int64_t due_erasures = 0, longest_log = 0, remote_gaps = 0, uncut_rows = 0, queued_writes = 0;
  };
  Usage Used() const;
  void Close();  // finishes queued writes; requires that nobody holds a store

 private:
  enum class State { kOpening, kOpen, kClosing };
  struct Entry {
    State state = State::kOpening;
    std::shared_ptr<SqlStore> store;  // kOpen
    uint64_t used = 0;                // last use, in uses_
  };
  using Lock = std::unique_lock<std::mutex>;
  std::shared_ptr<SqlStore> FindOpen(const std::string& name, Lock& lock);
  base::Status MakeRoom(Lock& lock);
  void CloseOne(std::map<std::string, Entry>::iterator place, Lock& lock);

  const Opener open_;
  const size_t most_open_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::map<std::string, Entry> entries_;
  uint64_t uses_ = 0;
  const char* refused_ = nullptr;
};

}  // namespace memory
