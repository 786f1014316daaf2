// Keeps the full-text index equal to the live rows. New rows are pending first: a batch costs FTS5
// a third per row of what single rows cost (ADR 15). Everything runs in the caller's transaction.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/sql/database.h"

namespace memory {

// Called before and after a row changes. Both are no-ops for a row that is not live, so any order
// of changes keeps the index consistent.
base::Status RemoveFromIndex(sql::Database& database, int64_t slot);
base::Status AddToIndex(sql::Database& database, int64_t slot);
// The same for a row that is new and live; `characters`: of its content.
base::Status AddNewToIndex(sql::Database& database, int64_t slot, int64_t characters);

// Pending rows: at most so many, as far as the writer's thread knows without a look at all of them.
class WaitingTally {
 public:
  // Adds those of `slots` that are pending. Slots of rolled back transactions are harmless.
  base::Status Add(sql::Database& database, const std::vector<int64_t>& slots);
  bool IsMany() const;  // a batch may be worth its cost; so it is until the first Set
  void Set(int64_t rows, int64_t characters);

 private:
  int64_t rows_ = INT64_MAX / 2, characters_ = 0;
};

// Indexes all pending rows; IndexManyWaiting only when a batch is worth its cost, and corrects the
// tally.
base::Status IndexWaiting(sql::Database& database);
base::Status IndexManyWaiting(sql::Database& database, WaitingTally& tally);

// Whether a row of these ranges is pending; empty `ranges`: of any range.
base::Result<bool> AnyWaits(sql::Database& database, const std::vector<int64_t>& ranges);

}  // namespace memory
