// The log of deleted rows in a file, inside the caller's transaction.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/sql/database.h"
#include "memory/rows/deletions.h"

namespace memory {

inline constexpr int64_t kMostDeletions = 100'000;  // entries of a file; the oldest go

class SqliteDeletions final : public Deletions {
 public:
  explicit SqliteDeletions(sql::Database& database) : database_(database) {}
  base::Result<DeletedRow> ReadDeleted(RowId slot) override;
  base::Result<std::vector<int64_t>> TextsAt(int64_t place) override;
  base::Result<bool> NewestIsDeletion(int64_t text, const Owners& owners) override;
  base::Result<bool> HasDeletion(int64_t text, int64_t created_ms) override;
  base::Status Append(const Deletion& entry) override;
  base::Status Forget(const DeletionDigests& row, const Owners& owners) override;

 private:
  sql::Database& database_;
};

}  // namespace memory
