// The shared memory of a store's file over its writer and its readers.
#pragma once

#include <functional>
#include <stop_token>

#include "lib/sqlite/writer.h"
#include "memory/sqlite/reading/snapshot.h"
#include "memory/store/shared_items.h"

namespace memory {

class SqliteShared final : public SharedItems {
 public:
  // All outlive it.
  struct Parts {
    sqlite::Writer& writer;
    ReaderPool& readers;
    std::function<int64_t()> aged_ms;     // the clock by which values expire
    std::function<base::Status()> admit;  // before a write that consumes space
  };
  explicit SqliteShared(Parts parts) : parts_(std::move(parts)) {}

  base::Result<SharedWritten> Put(const SharedItem& item, int64_t ttl_ns,
                                  const Precondition& condition) override;
  base::Result<SharedWritten> Remove(const std::string& owner, const std::string& key,
                                     const Precondition& condition) override;
  base::Result<SharedItem> Get(const std::string& owner, const std::string& key) override;
  base::Result<std::vector<std::string>> Owners(const std::string& first, size_t limit) override;
  base::Result<std::vector<SharedItem>> List(const std::string& owner, const std::string& after,
                                             size_t limit, size_t bytes) override;

  // Removes expired items in small steps. → how many.
  base::Result<int64_t> Sweep(const std::stop_token& stop);

 private:
  const Parts parts_;
};

}  // namespace memory
