// What a Store is made of: the one writer, and connections that read. For memory/store*.cc only.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>

#include "lib/sqlite/database.h"
#include "lib/sqlite/writer.h"
#include "memory/ranker.h"
#include "memory/store.h"

namespace memory {

// A reading connection with the ranker that is bound to it.
struct Reader {
  sqlite::Database database;
  Ranker ranker;
};

base::Result<std::unique_ptr<Reader>> OpenReader(const std::string& path,
                                                 ResidentIndexes* resident = nullptr);

// Hands each reader to one thread at a time.
class ReaderPool {
 public:
  void Add(std::unique_ptr<Reader> reader);
  std::unique_ptr<Reader>
  Take();        // waits; callers are bounded by the server's workers. Null: closed
  void Close();  // waits for those that are out, then closes all

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::unique_ptr<Reader>> idle_;
  size_t out_ = 0;
  bool closed_ = false;
};

// One snapshot of the file, from the first read on until it dies.
class Snapshot {
 public:
  static base::Result<Snapshot> Begin(ReaderPool& pool);
  Snapshot(Snapshot&&) noexcept = default;
  ~Snapshot();
  base::Status Renew();  // sees what was committed until now
  sqlite::Database& database() { return reader_->database; }
  Ranker& ranker() { return reader_->ranker; }

 private:
  Snapshot(ReaderPool& pool, std::unique_ptr<Reader> reader)
      : pool_(&pool), reader_(std::move(reader)) {}
  ReaderPool* pool_;
  std::unique_ptr<Reader> reader_;
};

struct Store::State {
  StoreOptions options;
  std::string path;
  std::unique_ptr<ResidentIndexes> resident;  // outlives readers and writer, which use it
  ReaderPool readers;
  std::shared_ptr<std::atomic<int>> exports = std::make_shared<std::atomic<int>>(0);  // open
  std::unique_ptr<sqlite::Writer> writer;
};

}  // namespace memory
