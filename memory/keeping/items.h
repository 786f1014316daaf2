// Key-value items of one tenant, each with a TTL. Not observations: no deduplication, no revisions,
// no part in their ranking.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "memory/keeping/cells.h"

namespace memory {

inline constexpr int64_t kItemTtlNs = 86'400'000'000'000;  // 24 h, the default
inline constexpr int64_t kMaxItemsOfProject = 250'000;     // kFull beyond
inline constexpr const char* kDefaultProject = "default";
extern const CellKind kItemCells;

struct ItemChange {
  std::optional<std::string> value, metadata;  // JSON texts
  std::optional<int64_t> ttl_ns;
};

struct FoundItem {
  Cell item;
  double score = 0;                // 0…1; of a query without words 0
  const char* method = "recency";  // or "lexical"
};

struct FoundItems {
  std::vector<FoundItem> rows;
  bool partial = false;  // cut at the deadline, or at the limit of an answer
};

// The owner of a cell is the name of a project.
class Items : public KeptCells {
 public:
  // Keeps `created_ms`, so that the item may expire immediately.
  base::Result<CellWritten> Change(const std::string& project, const std::string& key,
                                   const ItemChange& change, const Precondition& condition);
  // Best first, ties by last access. Found items count as accessed. A query without words returns
  // all, the last accessed first, without counting an access.
  virtual base::Result<FoundItems> Retrieve(const std::string& project, const std::string& query,
                                            size_t limit, std::stop_token stop = {}) = 0;

 protected:
  using KeptCells::KeptCells;
};

}  // namespace memory
