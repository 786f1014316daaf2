// The items of a store's file over its writer and its readers.
#pragma once

#include <atomic>
#include <functional>
#include <unordered_map>

#include "lib/base/guarded.h"
#include "lib/base/process/aging_clock.h"
#include "lib/sqlite/writer.h"
#include "memory/model/fusion.h"
#include "memory/sqlite/items/item_rows.h"
#include "memory/sqlite/reading/snapshot.h"
#include "memory/store/items.h"

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
  explicit SqliteItems(Parts parts)
      : parts_(std::move(parts)), aging_(parts_.clock, parts_.aged_ms), saved_ms_(parts_.aged_ms) {}

  base::Result<ItemWritten> Put(const std::string& project, const Item& item,
                                const Precondition& condition) override;
  base::Result<ItemWritten> Change(const std::string& project, const std::string& key,
                                   const ItemChange& change,
                                   const Precondition& condition) override;
  base::Status Forget(const std::string& project, const std::string& key) override;
  base::Result<Item> Get(const std::string& project, const std::string& key) override;
  base::Result<FoundItems> Retrieve(const std::string& project, const std::string& query,
                                    size_t limit, std::stop_token stop) override;
  base::Result<std::vector<bool>> Import(const std::vector<ExportedItem>& items) override;

  // Removes expired items in small steps. → how many.
  base::Result<int64_t> Sweep(const std::stop_token& stop);
  // One short background step: adds vectors to items without one of the embedder. False: none is
  // left. Called by the sweeping thread.
  base::Result<bool> FillVectors();
  base::Status KeepAccesses();  // persists the times of accesses
  // Saves the clock by which items expire when it is `every_ms` ahead of the file.
  base::Status KeepClock(int64_t every_ms);
  int64_t AgedMs() const { return seen_ms_ = aging_.NowMs(); }  // by that clock
  base::Status KeepSeenClock();  // saves its last reading, when the store closes
  size_t CountAccesses() const;

 private:
  // Times of accesses since the last KeepAccesses, by slot.
  using Accesses = std::unordered_map<int64_t, int64_t>;
  int64_t NowMs() const { return parts_.clock.NowMs(); }  // for people
  void NoteAccess(int64_t slot, int64_t now_ms);
  int64_t AccessedMs(const ItemRow& row) const;
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
  base::Guarded<Accesses> accesses_;
  int64_t vectors_until_ = 0;  // items up to this slot have vectors; of the sweeping thread
  bool vectors_done_ = false;
};

}  // namespace memory
