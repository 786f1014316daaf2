// Connections to one server (or the one of several that serves), shared by all tenants of a
// process.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "lib/base/result.h"
#include "lib/postgres/database.h"
#include "lib/postgres/dsn.h"

namespace postgres {

// Any thread. It outlives its leases.
class Pool {
 public:
  struct Options {
    DatabaseOptions database = {};
    size_t connections = 16;
    int64_t idle_ms = 60'000;  // a connection that nobody needed for so long is closed
    // After a failure to connect all are refused at once, but one that tries again, after a pause
    // that doubles.
    int64_t retry_ms = 100, most_retry_ms = 1000;
  };
  struct Return {
    Pool* pool = nullptr;
    int64_t generation = 0;
    void operator()(Database* database) const {
      pool->GiveBack(std::unique_ptr<Database>(database), generation);
    }
  };
  using Lease = std::unique_ptr<Database, Return>;  // of one caller, until its end
  struct State {
    size_t open = 0, idle = 0, waiting = 0;
    std::optional<base::Error> failure;  // why no connection can be made now
  };

  Pool(const std::string& dsn_file, Options options)
      : dsn_(dsn_file), options_(std::move(options)) {}

  // A connection whose transactions begin with `scope`, within `wait_ms`. kUnavailable: all are in
  // use, the server is away, or the DSN is no good any more; kInvalid: it never was.
  base::Result<Lease> Checkout(Scope scope, int64_t wait_ms);
  State Now() const;

 private:
  struct Idle {
    std::unique_ptr<Database> database;
    int64_t since_ms;
  };
  using Lock = std::unique_lock<std::mutex>;
  base::Result<std::shared_ptr<const Dsn>> Address();
  void GiveBack(std::unique_ptr<Database> database, int64_t generation);
  std::unique_ptr<Database> TakeIdle(Lock& lock);
  base::Result<Database> Open(Lock& lock, const std::shared_ptr<const Dsn>& dsn, int64_t wait_ms);
  base::Result<Database> Connect(const std::shared_ptr<const Dsn>& dsn, size_t first,
                                 int64_t wait_ms);
  void NoteFailure(const base::Error& error);
  void Follow(const std::shared_ptr<const Dsn>& dsn, std::deque<Idle>& closed);

  DsnFile dsn_;
  const Options options_;
  mutable std::mutex mutex_;
  std::condition_variable freed_;
  std::shared_ptr<const Dsn> current_;
  int64_t generation_ = 0;  // of current_
  std::deque<Idle> idle_;   // the last one was used last
  size_t open_ = 0, waiting_ = 0;
  size_t first_host_ = 0;  // the one that served last
  std::optional<base::Error> failure_;
  int64_t next_try_ms_ = 0, pause_ms_ = 0;
  bool trying_ = false;  // a caller tries to connect in spite of failure_
};

}  // namespace postgres
