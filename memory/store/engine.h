// What keeps the stores of all tenants. Who may have which store is not decided here.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "memory/store/store.h"

namespace memory {

// What one round of retention did.
struct Swept {
  int64_t lapsed = 0, capped = 0;     // rows that were hidden
  int64_t restored = 0;               // rows that were over and, by other rules, are not
  int64_t purged = 0, revisions = 0;  // hidden and deleted rows, and earlier texts, removed
  int64_t keys = 0;                   // Idempotency-Keys forgotten
  int64_t items = 0;                  // that were over, removed
  int64_t fields = 0;                 // conversations whose working memory was over, removed
  int64_t shared = 0;                 // items of shared memory that were over, removed
  int64_t over_cap = 0;               // rows above a cap that stay, since they were used
};

// For metrics and the report to the operator. What is counted of stores is that of open ones.
struct EngineFigures {
  int64_t schema_version = 0;
  int64_t tenants = 0, database_bytes = 0, log_bytes = 0;  // of all tenants, on the volume
  int64_t open_tenants = 0, queued_writes = 0, damaged = 0;
  int64_t rows = 0, most_rows = 0, most_bytes = 0;  // most: of the tenant that keeps most
  int64_t longest_log_bytes = 0, due_erasures = 0;
  int64_t index_bytes = 0, cache_bytes = 0;   // in memory
  int64_t remote_gaps = 0;                    // rows that wait for a vector of the remote model
  int64_t spool_bytes = 0;                    // uploads and copies
  int64_t free_bytes = 0, ballast_bytes = 0;  // of the volume; free -1: it cannot be asked
};

// Any thread, but for Close.
class Engine {
 public:
  virtual ~Engine() = default;

  // A tenant's store, opened, or made, when it is not. It stays open while anybody holds it.
  // kUnavailable: as many as may be open are in use, or Close was called; kFull, kInvalid,
  // kInternal: the store cannot be opened.
  virtual base::Result<std::shared_ptr<Store>> Open(const std::string& tenant) = 0;

  virtual base::Status ProbeWrite() = 0;       // ok: a write would succeed now
  virtual bool Failed() const = 0;             // a sync failed: the process must end
  virtual base::Status Soundness() const = 0;  // kUnavailable: what is damaged, and what to do
  virtual EngineFigures Figures() const = 0;

  // One round of retention over the open stores, which ends early when told to. `on_swept` gets
  // the result of each store. False: it ended early. One thread at a time.
  virtual bool Sweep(const std::stop_token& stop,
                     const std::function<void(const base::Result<Swept>&)>& on_swept) = 0;
  // Between the rounds: writes down much that was used, closes connections that are idle.
  virtual void Tidy() = 0;
  // One request of each open store to the remote model, for rows that have no vector of it. False:
  // no row waits, or the model is away. One thread at a time.
  virtual bool FillRemoteVectors(const std::stop_token& stop) = 0;
  // The open store behind `name` by name, which `name` becomes; null: it was the last.
  virtual std::shared_ptr<Store> NextOpen(std::string& name) = 0;
  // At the start: what a crash left to be done, such as erasing what was deleted, is done.
  virtual void Recover(const std::stop_token& stop) = 0;

  // Finishes the writes that wait; nobody may hold a store any more.
  virtual void Close() = 0;
};

}  // namespace memory
