// Test code: cells in memory, the second engine of the seam. Keeps no transactions: what a refused
// call wrote stays.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "memory/rows/cells.h"

namespace memory {

class FakeCells final : public Cells {
 public:
  base::Result<std::optional<Cell>> Find(const std::string& owner,
                                         const std::string& key) override {
    const auto found = cells_.find({owner, key});
    return found == cells_.end() ? std::nullopt : std::optional(found->second);
  }
  base::Status Save(const Cell& cell) override {
    cells_[{cell.owner, cell.key}] = cell;
    return {};
  }
  base::Status Remove(const std::string& owner, const std::string& key) override {
    cells_.erase({owner, key});
    return {};
  }
  base::Status Touch(const Cell& cell, int64_t accessed_ms) override {
    cells_[{cell.owner, cell.key}].accessed_ms = accessed_ms;
    return {};
  }
  base::Result<CellTotals> TotalsOf(const std::string& owner) override {
    CellTotals totals;
    std::set<std::string> owners;
    for (const auto& [place, cell] : cells_) {
      owners.insert(cell.owner);
      if (cell.owner != owner) continue;
      ++totals.cells;
      totals.bytes += BytesOf(cell);
    }
    totals.owners = std::ssize(owners);
    return totals;
  }
  base::Result<int64_t> RemoveExpired(const std::string& owner, int64_t now_ms,
                                      int64_t limit) override {
    return static_cast<int64_t>(std::erase_if(cells_, [&](const auto& one) {
      const bool asked = owner.empty() || one.second.owner == owner;
      return asked && Expired(one.second, now_ms) && limit-- > 0;
    }));
  }
  base::Result<int64_t> RaiseVersion(int64_t to) override {
    return last_version_ = std::max(last_version_ + (to == 0), to);
  }

 private:
  static bool Expired(const Cell& cell, int64_t now_ms) {
    return cell.expires_ms && *cell.expires_ms <= now_ms;
  }
  std::map<std::pair<std::string, std::string>, Cell> cells_;  // by owner and key
  int64_t last_version_ = 0;
};

}  // namespace memory
