// Who gets which connection, and when a new one is tried.
#include "lib/postgres/pool.h"

#include <algorithm>

#include "lib/base/process/log.h"
#include "lib/postgres/link.h"

namespace postgres {

using base::Code;
using base::Error;
using base::Result;

Result<Pool::Lease> Pool::Checkout(Scope scope, int64_t wait_ms) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const Dsn> dsn, Address());
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(wait_ms);
  std::deque<Idle> closed;  // destroyed after the lock
  Lock lock(mutex_);
  Follow(dsn, closed);
  const auto lease = [&](std::unique_ptr<Database> database) {
    database->Use(std::move(scope));
    return Lease(database.release(), Return{this, generation_});
  };
  for (;;) {
    if (auto idle = TakeIdle(lock)) return lease(std::move(idle));
    const bool may_try = !failure_ || (!trying_ && NowMs() >= next_try_ms_);
    if (!may_try) return *failure_;
    if (open_ < options_.connections) {
      ASSIGN_OR_RETURN(Database opened, Open(lock, dsn, wait_ms));
      return lease(std::make_unique<Database>(std::move(opened)));
    }
    ++waiting_;
    const bool late = freed_.wait_until(lock, end) == std::cv_status::timeout;
    --waiting_;
    if (late && idle_.empty() && open_ >= options_.connections)
      return Error{Code::kUnavailable, "all " + std::to_string(options_.connections) +
                                           " connections to PostgreSQL are in use"};
  }
}

// A file that was good once is being changed, or somebody damaged it: no fault of the caller.
Result<std::shared_ptr<const Dsn>> Pool::Address() {
  Result<std::shared_ptr<const Dsn>> dsn = dsn_.Current();
  if (dsn) return dsn;
  const std::lock_guard lock(mutex_);
  if (!current_) return dsn;
  return Error{Code::kUnavailable, dsn.error().message};
}

// After a change of the address the connections to the old one end.
void Pool::Follow(const std::shared_ptr<const Dsn>& dsn, std::deque<Idle>& closed) {
  if (dsn == current_) return;
  if (current_) base::LogInfo("the DSN changed: connections are made again");
  current_ = dsn;
  ++generation_;
  open_ -= idle_.size();
  closed = std::exchange(idle_, {});
  failure_.reset();
  pause_ms_ = 0;
  first_host_ = 0;
}

std::unique_ptr<Database> Pool::TakeIdle(Lock& lock) {
  while (!idle_.empty()) {
    std::unique_ptr<Database> database = std::move(idle_.back().database);
    idle_.pop_back();
    if (database->LooksAlive()) return database;
    --open_;
    lock.unlock();
    database.reset();
    lock.lock();
  }
  return nullptr;
}

Result<Database> Pool::Open(Lock& lock, const std::shared_ptr<const Dsn>& dsn, int64_t wait_ms) {
  const bool in_spite = failure_.has_value();
  trying_ = trying_ || in_spite;
  ++open_;
  const size_t first = first_host_;
  lock.unlock();
  Result<Database> opened = Connect(dsn, first, wait_ms);
  lock.lock();
  if (in_spite) trying_ = false;
  if (opened) {
    failure_.reset();
    pause_ms_ = 0;
    return opened;
  }
  --open_;
  NoteFailure(opened.error());
  freed_.notify_all();  // who waits for this one is told at once
  return opened;
}

// The host that served last comes first.
Result<Database> Pool::Connect(const std::shared_ptr<const Dsn>& dsn, size_t first,
                               int64_t wait_ms) {
  DatabaseOptions options = options_.database;
  options.connect_ms = std::min(options.connect_ms, std::max<int64_t>(wait_ms, 1));
  std::optional<Error> failed;
  for (size_t i = 0; i < dsn->hosts.size(); ++i) {
    const size_t host = (first + i) % dsn->hosts.size();
    Result<Database> made = Database::Connect(dsn, dsn->hosts[host], options);
    if (made) {
      const std::lock_guard lock(mutex_);
      first_host_ = host;
      return made;
    }
    failed = failed ? Error{made.error().code, failed->message + "; " + made.error().message}
                    : made.error();
  }
  return *failed;
}

void Pool::NoteFailure(const Error& error) {
  if (!failure_) base::LogWarn("no connection to PostgreSQL", {{"reason", error.message}});
  failure_ = error;
  pause_ms_ = std::clamp(2 * pause_ms_, options_.retry_ms, options_.most_retry_ms);
  next_try_ms_ = NowMs() + pause_ms_;
}

void Pool::GiveBack(std::unique_ptr<Database> database, int64_t generation) {
  std::deque<Idle> closed;  // destroyed after the lock, as a broken connection is
  {
    const std::lock_guard lock(mutex_);
    if (database->Hung() && generation == generation_) {
      // The others would hang too.
      NoteFailure({Code::kUnavailable, "PostgreSQL at " + database->Server() + " does not answer"});
      open_ -= idle_.size();
      closed = std::exchange(idle_, {});
    }
    if (database->Broken() || generation != generation_) {
      --open_;
    } else {
      idle_.push_back({std::move(database), NowMs()});
      if (idle_.front().since_ms + options_.idle_ms < NowMs()) {
        --open_;
        closed.push_back(std::move(idle_.front()));
        idle_.pop_front();
      }
    }
  }
  freed_.notify_one();
}

Pool::State Pool::Now() const {
  const std::lock_guard lock(mutex_);
  return {open_, idle_.size(), waiting_, failure_};
}

}  // namespace postgres
