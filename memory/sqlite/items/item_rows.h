// The table `items` and the full-text table of its words. Everything runs in the caller's
// transaction.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/base/guarded.h"
#include "lib/sql/database.h"
#include "memory/keeping/items.h"
#include "memory/sqlite/reading/cell_host.h"
#include "memory/store/embedder.h"

namespace memory {

// Slots, like those of observations, are never reused.
struct ItemRow {
  int64_t slot = 0;
  Cell cell;        // without its owner
  bool cut = true;  // false: an earlier version cut its words (tables/uncut.h)
};

// The times of accesses that are not in the file yet. Any thread.
class ItemAccesses {
 public:
  using Times = std::unordered_map<int64_t, int64_t>;  // by slot
  void Note(int64_t slot, int64_t now_ms);
  int64_t Latest(int64_t slot, int64_t in_file_ms) const;
  const base::Guarded<Times>& times() const { return times_; }
  size_t Count() const {
    return times_.With([](const Times& times) { return times.size(); });
  }
  Times Take() {
    return times_.With([](Times& times) { return std::exchange(times, Times()); });
  }
  void GiveBack(const Times& taken) {  // after a failed write; keeps newer ones
    times_.With([&](Times& times) { times.insert(taken.begin(), taken.end()); });
  }

 private:
  base::Guarded<Times> times_;
};

// The owner of a cell is the name of its project.
class ItemCells final : public Cells {
 public:
  // All outlive it. `embedder` null: items get no vectors.
  ItemCells(sql::Database& database, ItemAccesses& accesses, const Embedder* embedder)
      : database_(database), accesses_(accesses), embedder_(embedder) {}
  base::Result<std::optional<Cell>> Find(const std::string& owner, const std::string& key) override;
  base::Status Save(const Cell& cell) override;
  base::Status Remove(const std::string& owner, const std::string& key) override;
  base::Status Touch(const Cell& cell, int64_t accessed_ms) override;
  base::Result<CellTotals> TotalsOf(const std::string& owner) override;
  base::Result<int64_t> RemoveExpired(const std::string& owner, int64_t now_ms,
                                      int64_t limit) override;
  base::Result<int64_t> RaiseVersion(int64_t to) override {
    return memory::RaiseVersion(database_, "item_version", to);
  }

 private:
  sql::Database& database_;
  ItemAccesses& accesses_;
  const Embedder* const embedder_;
};

// Also an expired one.
base::Result<std::optional<ItemRow>> FindItem(sql::Database& database, int64_t slot);

// The texts of the items of a project, as the full-text table has them, until `visit` returns
// false.
struct ItemText {
  int64_t slot = 0;
  std::string key, content, tags, grams;
};
base::Status VisitItemTexts(sql::Database& database, int64_t project,
                            const std::function<base::Result<bool>(const ItemText&)>& visit);

// Adds the vector of an item without one.
base::Status AddItemVector(sql::Database& database, const ItemRow& row, const Embedder* embedder);
// Reads items after slot `after`, in order of slots, that are not expired at `now_ms`, of one
// project or of all, until `take` returns false. → whether the end is reached.
base::Result<bool> ReadItems(sql::Database& database, std::optional<int64_t> project,
                             int64_t now_ms, int64_t after,
                             const std::function<bool(int64_t slot, Cell&&)>& take);
// Deletes expired items, and those of other projects if a project is given.
base::Status LeaveOutItems(sql::Database& database, std::optional<int64_t> project, int64_t now_ms);
// Makes the full-text table anew from the rows.
base::Status IndexAllItems(sql::Database& database);
// Cuts the words of an item anew.
base::Status CutItems(sql::Database& database, const std::vector<int64_t>& slots);

}  // namespace memory
