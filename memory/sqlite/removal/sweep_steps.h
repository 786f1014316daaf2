// The single steps of a round of retention, as SQL: looking for rows, looking again, removing. For
// sweep.cc only; everything runs in the caller's transaction.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/sqlite/database.h"
#include "memory/model/retention.h"

namespace memory {

inline constexpr int64_t kLookAt = 2000;  // rows that a reader looks at in one snapshot

// A row that the writer has to look at again.
struct SweepCandidate {
  int64_t slot = 0, id = 0;
  int64_t used_ms = 0;  // last written or used
};
using SweepCandidates = std::vector<SweepCandidate>;

// Where a walk over all rows goes on: by range and type, then oldest change first.
struct SweepPlace {
  int64_t range = -1;
  std::string type;
  int64_t updated_ms = 0, id = 0;
};

// What a piece of a walk over all rows found.
struct ScanPage {
  SweepCandidates over;       // rows
  SweepCandidates old_texts;  // rows with earlier texts that are over since `deleted_ms`
  bool end = false;
};
// At most kLookAt rows from `place` on, which it moves; after the last row back to the first.
base::Result<ScanPage> ScanFrom(sqlite::Database& database, int64_t deleted_ms, SweepPlace& place);

// What a cap takes: the least recently used rows, none that was read, found or seen again since
// `used_since_ms`.
struct Cap {
  SweepCandidates rows;
  int64_t over = 0;  // rows above the cap that stay, since they were used
};
// `rule` is one of `rules`, those of `project`.
base::Result<Cap> FindCapped(sqlite::Database& database, const RetentionRules& rules,
                             const RetentionRule& rule, int64_t project, int64_t used_since_ms);

base::Result<bool> IsOver(sqlite::Database& database, int64_t slot);  // and live
// Live, and neither written nor used since it was looked for.
base::Result<bool> IsAsItWas(sqlite::Database& database, const SweepCandidate& row);

// Rows behind slot `after` that retention hid and that by the rules in force are not over.
base::Result<SweepCandidates> FindRestorable(sqlite::Database& database, int64_t after);
// → 1, or 0: it was deleted, or its topic has another row now.
base::Result<int64_t> RestoreOne(sqlite::Database& database, int64_t slot);

// For good, at most `most` rows that were hidden or deleted until `before_ms`; of what retention
// hid nothing that was used since `used_since_ms`. → how many.
base::Result<int64_t> Purge(sqlite::Database& database, int64_t before_ms, int64_t used_since_ms,
                            int64_t most);
base::Result<int64_t> ForgetKeys(sqlite::Database& database, int64_t before_ms);  // 500 at most
// A row's earlier texts that are over since `deleted_ms`. → how many.
base::Result<int64_t> RemoveTexts(sqlite::Database& database, const SweepCandidate& row,
                                  int64_t deleted_ms);

}  // namespace memory
