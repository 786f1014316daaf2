// The time limit of a read includes the wait for a reader.
#include "memory/sqlite/reading/snapshot.h"

#include <algorithm>

#include "lib/base/process/log.h"

namespace memory {

using base::Result;
using base::Status;

void ReaderPool::Release(std::unique_ptr<Reader> reader) {
  if (reader) reader->idle_since_ms = options_.clock->MonotonicMs();
  std::lock_guard lock(mutex_);
  --out_;
  if (reader) idle_.push_back(std::move(reader));
  wake_.notify_all();  // a Close may wait beside a Take
}

void ReaderPool::CutOff(const char* limit) const {
  if (options_.on_cut_off) options_.on_cut_off(limit);
}

Result<std::unique_ptr<Reader>> ReaderPool::Acquire(int64_t milliseconds) {
  {
    std::unique_lock lock(mutex_);
    const bool free = wake_.wait_for(lock, std::chrono::milliseconds(milliseconds), [this] {
      return closed_ || !idle_.empty() || out_ < options_.most;
    });
    if (closed_) return base::Error{base::Code::kUnavailable, "the program is stopping"};
    if (!free) {
      CutOff("readers");
      return base::Error{base::Code::kUnavailable,
                         "readers: all " + std::to_string(options_.most) +
                             " connections that read this namespace were busy for " +
                             std::to_string(milliseconds) +
                             " ms (read-timeout); send it again in a second, or raise readers"};
    }
    ++out_;
    if (!idle_.empty()) {
      std::unique_ptr<Reader> reader = std::move(idle_.back());
      idle_.pop_back();
      return reader;
    }
  }
  Result<std::unique_ptr<Reader>> opened = open_();
  if (!opened) Release(nullptr);
  return opened;
}

void ReaderPool::CloseIdle(int64_t since_ms) {
  std::vector<std::unique_ptr<Reader>> closed;  // destroyed outside of the lock
  std::lock_guard lock(mutex_);
  const auto later = std::find_if(idle_.begin(), idle_.end(), [&](const auto& reader) {
    return reader->idle_since_ms > since_ms;
  });
  closed.assign(std::make_move_iterator(idle_.begin()), std::make_move_iterator(later));
  idle_.erase(idle_.begin(), later);
}

void ReaderPool::Close() {
  std::unique_lock lock(mutex_);
  closed_ = true;
  wake_.notify_all();
  wake_.wait(lock, [this] { return out_ == 0; });
  idle_.clear();
}

Result<Snapshot> Snapshot::Begin(ReaderPool& pool, std::stop_token stop) {
  const int64_t most_ms = pool.options().read_ms;
  return BeginFor(
      pool, most_ms, std::move(stop),
      {base::Code::kUnavailable,
       "read-timeout: the read took longer than " + std::to_string(most_ms) +
           " ms and was ended; ask for less (a project, a type, a smaller limit), send it again "
           "when the server has less to do, or raise read-timeout"});
}

Result<Snapshot> Snapshot::BeginUnhurried(ReaderPool& pool) {
  constexpr int64_t kMostMs = 60'000;
  return BeginFor(pool, kMostMs, {},
                  {base::Code::kUnavailable,
                   "a read in the background took longer than a minute and was ended"});
}

Result<Snapshot> Snapshot::BeginFor(ReaderPool& pool, int64_t milliseconds, std::stop_token stop,
                                    base::Error over) {
  const base::Clock& clock = *pool.options().clock;
  const int64_t until_ms = clock.MonotonicMs() + milliseconds;
  ASSIGN_OR_RETURN(std::unique_ptr<Reader> reader, pool.Acquire(milliseconds));
  if (Status begun = reader->candidates->Begin(); !begun) {
    pool.Release(std::move(reader));
    return begun.error();
  }
  const int64_t left_ms = std::max<int64_t>(until_ms - clock.MonotonicMs(), 0);
  sql::TimeLimit limit(reader->candidates->database(), left_ms, std::move(stop), std::move(over));
  return Snapshot(pool, std::move(reader), std::move(limit));
}

Status Snapshot::Renew() { return candidates().Renew(); }

Snapshot::~Snapshot() {
  if (!reader_) return;
  if (limit_->Met()) pool_->CutOff("read-timeout");
  limit_.reset();
  if (Status ended = candidates().End(); !ended) {
    base::LogError("the rollback of a snapshot failed", {{"reason", ended.error().message}});
  }
  pool_->Release(std::move(reader_));
}

}  // namespace memory
