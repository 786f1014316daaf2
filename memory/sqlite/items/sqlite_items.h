// The items of a store's file over its writer and its readers.
#pragma once

#include <atomic>
#include <functional>

#include "lib/base/process/aging_clock.h"
#include "lib/sqlite/writer.h"
#include "memory/model/fusion.h"
#include "memory/sqlite/items/item_rows.h"
#include "memory/sqlite/reading/snapshot.h"

namespace memory {

class SqliteItems final : public Items {
 public:
  // All outlive it.
  struct Parts {
    sqlite::Writer& writer;
    ReaderPool& readers;
    const base::Clock& clock;
    int64_t aged_ms;                      // LoadItemClock of the file
    int64_t deadline_ms;                  // of a query
    std::function<base::Status()> admit;  // before a write that consumes space
    const Embedder* embedder = nullptr;   // null: only words find items
  };
  explicit SqliteItems(Parts parts);

  base::Result<FoundItems> Retrieve(const std::string& project, const std::string& query,
                                    size_t limit, std::stop_token stop) override;

  // One short background step: adds vectors to items without one of the embedder. False: none is
  // left. Called by the sweeping thread.
  base::Result<bool> FillVectors();
  // Saves the clock by which items expire when it is ten minutes ahead of the file.
  base::Status KeepClock();
  int64_t AgedMs() const { return seen_ms_ = aging_.NowMs(); }  // by that clock
  base::Status KeepSeenClock();  // saves its last reading, when the store closes
  ItemAccesses& accesses() { return accesses_; }

 private:
  // All live items of the project, or those of `matches`, the best first.
  base::Result<FoundItems> Latest(sqlite::Database& database, int64_t project, size_t limit,
                                  int64_t aged_ms);
  base::Result<FoundItems> Load(sqlite::Database& database, const std::vector<Ranked>& matches,
                                size_t limit);
  // The results of words and of meaning together.
  base::Result<std::vector<Ranked>> FuseNear(sqlite::Database& database, const TextMatches& matches,
                                             const TextQuery& query, size_t limit);

  const Parts parts_;
  const base::AgingClock aging_;
  std::atomic<int64_t> saved_ms_;
  mutable std::atomic<int64_t> seen_ms_{0};
  ItemAccesses accesses_;
  int64_t vectors_until_ = 0;  // items up to this slot have vectors; of the sweeping thread
  bool vectors_done_ = false;
};

}  // namespace memory
