// Connections that read a tenant's rows, handed to one thread at a time, and the snapshots that
// they hold.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "lib/base/process/clock.h"
#include "lib/sql/database.h"
#include "memory/ranking/ranker.h"
#include "memory/sqlite/ranking/sql_candidates.h"

namespace memory {

// A reading connection with the ranker that is bound to it.
struct Reader {
  Reader(std::unique_ptr<SqlCandidates> of, ResidentIndexes* resident)
      : candidates(std::move(of)), ranker(*candidates, resident) {}
  std::unique_ptr<SqlCandidates> candidates;
  Ranker ranker;
  int64_t idle_since_ms = 0;  // monotonic
};

// Hands each reader to one thread at a time. Readers open lazily: most tenants never have two
// concurrent reads.
class ReaderPool {
 public:
  using Open = std::function<base::Result<std::unique_ptr<Reader>>()>;
  struct Options {
    size_t most = 4;         // readers
    int64_t read_ms = 5000;  // time limit of a request's read, with its wait for a reader
    const base::Clock* clock = &base::SystemClock();
    std::function<void(const char* limit)> on_cut_off = nullptr;  // "read-timeout" or "readers"
  };
  ReaderPool(Open open, Options options) : open_(std::move(open)), options_(std::move(options)) {}
  // Waits at most `milliseconds` while all readers are in use. kUnavailable: the pool is closed, or
  // the wait was too long; other errors are those of opening a connection.
  base::Result<std::unique_ptr<Reader>> Acquire(int64_t milliseconds);
  void Release(std::unique_ptr<Reader> reader);
  void CloseIdle(int64_t since_ms);  // readers that were idle since then
  void Close();                      // waits for readers in use, then closes all
  const Options& options() const { return options_; }
  void CutOff(const char* limit) const;  // counts a read that a limit ended or refused

 private:
  const Open open_;
  const Options options_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::unique_ptr<Reader>> idle_;  // longest idle first
  size_t out_ = 0;
  bool closed_ = false;
};

// One MVCC snapshot, from the first read until destruction. A read that exceeds the
// snapshot's time limit ends with kUnavailable, so that no call holds a reader or the WAL for long.
class Snapshot {
 public:
  // For a request: the time limit is the pool's, or `stop` ends the snapshot earlier.
  static base::Result<Snapshot> Begin(ReaderPool& pool, std::stop_token stop = {});
  // For background rounds: the time limit is a minute.
  static base::Result<Snapshot> BeginUnhurried(ReaderPool& pool);
  Snapshot(Snapshot&&) noexcept = default;
  ~Snapshot();
  base::Status Renew();  // moves to the newest commit
  sql::Database& database() { return candidates().database(); }
  SqlCandidates& candidates() { return *reader_->candidates; }
  Ranker& ranker() { return reader_->ranker; }

 private:
  static base::Result<Snapshot> BeginFor(ReaderPool& pool, int64_t milliseconds,
                                         std::stop_token stop, base::Error over);
  Snapshot(ReaderPool& pool, std::unique_ptr<Reader> reader, sql::TimeLimit limit)
      : pool_(&pool), reader_(std::move(reader)), limit_(std::move(limit)) {}
  ReaderPool* pool_;
  std::unique_ptr<Reader> reader_;
  std::optional<sql::TimeLimit> limit_;
};

}  // namespace memory
