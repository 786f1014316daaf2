// What a round of retention asks of a file, inside the caller's transaction or snapshot.
#pragma once

#include <optional>
#include <vector>

#include "lib/sql/database.h"
#include "memory/rows/sweep.h"
#include "memory/sqlite/removal/deletions.h"
#include "memory/sqlite/tables/live.h"

namespace memory {

class SqliteSweep final : public SweepRows {
 public:
  SqliteSweep(sql::Database& database, const Liveness& liveness)
      : database_(database), liveness_(liveness), deletions_(database) {}
  base::Result<SweepPage> Scan(SweepPlace& place, int64_t old_ms, int64_t most) override;
  base::Result<std::optional<SweepRow>> Find(RowId row) override;
  base::Status Retire(RowId row, const char* reason, int64_t now_ms) override;
  base::Result<int64_t> RemoveOldTexts(RowId row, int64_t old_ms) override;
  base::Result<std::vector<int64_t>> Projects() override;
  base::Result<int64_t> CountAbove(const RowsOfRule& of) override;
  base::Result<std::vector<SweepRow>> FindUnused(const RowsOfRule& of, int64_t since_ms,
                                                 int64_t most) override;
  bool WasJustUsed(const SweepRow& row, int64_t since_ms) override;
  base::Result<bool> IsRetired(RowId row) override;
  base::Result<std::vector<RowId>> FindRestorable(RowId after, int64_t most) override;
  base::Result<bool> Show(RowId row) override;
  base::Result<std::vector<RowId>> FindRemovable(int64_t hidden_until_ms, int64_t used_since_ms,
                                                 int64_t most) override;
  base::Result<bool> Unlink(RowId row) override;
  base::Status Remove(RowId row) override;
  Deletions& deletions() override { return deletions_; }
  base::Result<int64_t> ForgetKeys(int64_t used_before_ms, int64_t most) override;

 private:
  sql::Database& database_;
  const Liveness& liveness_;
  SqliteDeletions deletions_;
};

}  // namespace memory
