// What a Store is made of: the one writer, and connections that read. For memory/store*.cc only.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>

#include "lib/base/guarded.h"
#include "lib/sqlite/database.h"
#include "lib/sqlite/writer.h"
#include "memory/ranker.h"
#include "memory/ranker_resident.h"
#include "memory/store.h"
#include "memory/store_erase.h"
#include "memory/store_retention.h"
#include "memory/store_usage.h"

namespace memory {

// A reading connection with the ranker that is bound to it.
struct Reader {
  sqlite::Database database;
  Ranker ranker;
  int64_t idle_since_ms = 0;  // monotonic
};

// Hands each reader to one thread at a time, and opens them as they are needed: most tenants are
// never read by two at once.
class ReaderPool {
 public:
  using Open = std::function<base::Result<std::unique_ptr<Reader>>()>;
  struct Options {
    size_t most = 4;         // readers
    int64_t read_ms = 5000;  // of a read that somebody waits for, with its wait for a reader
    const base::Clock* clock = &base::SystemClock();
    std::function<void(const char* limit)> on_cut_off = nullptr;  // "read-timeout" or "readers"
  };
  ReaderPool(Open open, Options options) : open_(std::move(open)), options_(std::move(options)) {}
  // Waits when as many as may be are out, at most so long. kUnavailable: closed, or all are out;
  // else what opening said.
  base::Result<std::unique_ptr<Reader>> Take(int64_t milliseconds);
  void GiveBack(std::unique_ptr<Reader> reader);
  void CloseIdle(int64_t since_ms);  // those that nobody took since then
  void Close();                      // waits for those that are out, then closes all
  const Options& options() const { return options_; }
  void CutOff(const char* limit) const;  // counts

 private:
  const Open open_;
  const Options options_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::unique_ptr<Reader>> idle_;  // those that are idle longest in front
  size_t out_ = 0;
  bool closed_ = false;
};

// One snapshot of the file, from the first read on until it dies. Every read of it ends, with
// kUnavailable, when its time is over: a reader and the log are nobody's for long.
class Snapshot {
 public:
  // For somebody who waits: the time is the pool's, or until `stop`.
  static base::Result<Snapshot> Begin(ReaderPool& pool, std::stop_token stop = {});
  // For rounds in the background: a minute.
  static base::Result<Snapshot> BeginUnhurried(ReaderPool& pool);
  Snapshot(Snapshot&&) noexcept = default;
  ~Snapshot();
  base::Status Renew();  // sees what was committed until now
  sqlite::Database& database() { return reader_->database; }
  Ranker& ranker() { return reader_->ranker; }

 private:
  static base::Result<Snapshot> BeginFor(ReaderPool& pool, int64_t milliseconds,
                                         std::stop_token stop, base::Error over);
  Snapshot(ReaderPool& pool, std::unique_ptr<Reader> reader, sqlite::TimeLimit limit)
      : pool_(&pool), reader_(std::move(reader)), limit_(std::move(limit)) {}
  ReaderPool* pool_;
  std::unique_ptr<Reader> reader_;
  std::optional<sqlite::TimeLimit> limit_;
};

// Reads that hold a snapshot for as long as they take, and are ended when the log gets too long.
class LongReads {
 public:
  std::stop_token token() const {
    return source_.With([](const std::stop_source& source) { return source.get_token(); });
  }
  void End() {
    source_.With([](std::stop_source& source) {
      source.request_stop();
      source = std::stop_source();
    });
  }

 private:
  base::Guarded<std::stop_source> source_;
};

// Where a walk over all rows goes on: by range and type, then oldest change first.
struct SweepPlace {
  int64_t range = -1;
  std::string type;
  int64_t updated_ms = 0, id = 0;
};

struct Store::State {
  State(std::string of, StoreOptions with);
  sqlite::Database::Options Reading() const;  // of the connections that read the file
  // IndexWaiting or IndexManyWaiting, until it meets damage: then the index waits for
  // RebuildIndex, so that it does not take each write down with it.
  base::Status Index(sqlite::Database& writer, base::Status (*step)(sqlite::Database&));
  bool WaitForIndex();  // false: rows wait longer, and a search goes on without them
  base::Status AdmitGrowth() const { return usage.Admit(); }  // before what keeps more than it did
  const StoreOptions options;
  const std::string path;
  std::string salt;  // of the file, from its opening on
  StoreUsage usage;  // outlives the writer, which reads it
  std::atomic<bool> index_damaged{false};
  ResidentIndexes resident;  // outlives readers and writer, which use it
  Eraser eraser;             // the writer's
  const std::shared_ptr<Lifetimes> lifetimes;
  std::mutex rules_mutex;                 // whoever puts rules into force
  std::atomic<bool> rules_changed{true};  // since the last round: what is hidden may come back
  SweepPlace sweep;                       // of the one thread that sweeps
  int64_t swept_ms = 0;                   // when it last did
  LongReads long_reads;
  std::unique_ptr<Spool> checked;  // a copy whose tables are sound; of the thread that checks
  ReaderPool readers;
  std::shared_ptr<std::atomic<int>> exports = std::make_shared<std::atomic<int>>(0);  // open
  std::unique_ptr<sqlite::Writer> writer;
};

}  // namespace memory
