// The stores of all tenants. Callers decide who may use which store.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "memory/keeping/sweeping.h"
#include "memory/store/store.h"

namespace memory {

// For metrics and the report to the operator. Counts of stores include open ones only.
struct EngineFigures {
  int64_t schema_version = 0;
  int64_t tenants = 0, database_bytes = 0, log_bytes = 0;  // of all tenants, on the volume
  int64_t open_tenants = 0, queued_writes = 0, damaged = 0;
  int64_t rows = 0, most_rows = 0, most_bytes = 0;  // most: of the largest tenant
  int64_t longest_log_bytes = 0, due_erasures = 0;
  int64_t index_bytes = 0, cache_bytes = 0;  // in memory
  int64_t remote_gaps = 0;                   // rows that wait for a vector of the remote model
  int64_t uncut_rows = 0;   // rows and items with index terms of an earlier version
  int64_t spool_bytes = 0;  // uploads and copies
  int64_t free_bytes = 0, ballast_bytes = 0;  // of the volume; free -1: unknown
};

// Any thread, except Close.
class Engine {
 public:
  virtual ~Engine() = default;

  // The store of a tenant, opened or created if necessary. It stays open while somebody holds it.
  // kUnavailable: all stores that may be open are in use, or Close was called; kFull, kInvalid,
  // kInternal: the store cannot be opened.
  virtual base::Result<std::shared_ptr<Store>> Open(const std::string& tenant) = 0;

  virtual base::Status ProbeWrite() = 0;       // ok: a write would succeed now
  virtual bool Failed() const = 0;             // a sync failed: the process must exit
  virtual base::Status Soundness() const = 0;  // kUnavailable: the corrupt file and the remedy
  virtual EngineFigures Figures() const = 0;

  // One round of retention over the open stores. `on_swept` gets the counts of each store. False:
  // `stop` ended it. One thread at a time.
  virtual bool Sweep(const std::stop_token& stop,
                     const std::function<void(const base::Result<Swept>&)>& on_swept) = 0;
  // Between rounds: persists uses if there are many, closes idle connections.
  virtual void Tidy() = 0;
  // One request per open store to the remote model, for rows without its vectors. False: no row
  // waits, or the model is unavailable. One thread at a time.
  virtual bool FillRemoteVectors(const std::stop_token& stop) = 0;
  // The next open store after `name` in order of names; sets `name`. Null: `name` was the last.
  virtual std::shared_ptr<Store> NextOpen(std::string& name) = 0;
  // At the start: finishes work that a crash interrupted, such as erasing deleted texts.
  virtual void Recover(const std::stop_token& stop) = 0;

  // Finishes queued writes; requires that nobody holds a store.
  virtual void Close() = 0;
};

}  // namespace memory
