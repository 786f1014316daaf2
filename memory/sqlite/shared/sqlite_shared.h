// Shared memory in a store's file: the table `shared_items`.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "memory/keeping/shared_items.h"
#include "memory/sqlite/reading/cell_host.h"

namespace memory {

// Inside the caller's transaction.
class SharedCells final : public Cells {
 public:
  explicit SharedCells(sqlite::Database& database) : database_(database) {}
  base::Result<std::optional<Cell>> Find(const std::string& owner, const std::string& key) override;
  base::Status Save(const Cell& cell) override;
  base::Status Remove(const std::string& owner, const std::string& key) override;
  base::Result<CellTotals> TotalsOf(const std::string& owner) override;
  base::Result<int64_t> RemoveExpired(const std::string& owner, int64_t now_ms,
                                      int64_t limit) override;
  base::Result<int64_t> RaiseVersion(int64_t to) override {
    return memory::RaiseVersion(database_, "shared_version", to);
  }

 private:
  sqlite::Database& database_;
};

// Reads values of `owners`, which are in order, after slot `after`, in order of slots, that are not
// expired at `now_ms`, until `take` returns false. → whether the end is reached.
base::Result<bool> ReadShared(sqlite::Database& database, const std::vector<std::string>& owners,
                              int64_t now_ms, int64_t after,
                              const std::function<bool(int64_t slot, Cell&&)>& take);

class SqliteShared final : public SharedItems {
 public:
  // `host` opens SharedCells, over `readers` among others; `aged_ms`: the clock of expiry.
  SqliteShared(std::unique_ptr<CellHost> host, ReaderPool& readers, const base::Clock& clock,
               std::function<int64_t()> aged_ms)
      : SharedItems(kSharedCells, std::move(host), clock, std::move(aged_ms)), readers_(readers) {}
  base::Result<std::vector<std::string>> Owners(const std::string& first, size_t limit) override;
  base::Result<std::vector<Cell>> List(const std::string& owner, const std::string& after,
                                       size_t limit, size_t bytes) override;

 private:
  ReaderPool& readers_;
};

}  // namespace memory
