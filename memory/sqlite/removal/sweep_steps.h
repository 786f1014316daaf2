// The SQL steps of a round of retention: find candidates, check them again, remove them. Everything
// runs in the caller's transaction.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/sqlite/database.h"
#include "memory/model/retention.h"

namespace memory {

inline constexpr int64_t kLookAt = 2000;  // rows that a reader scans in one snapshot

// A row that a reader found; the writer checks the row again before it acts.
struct SweepCandidate {
  int64_t slot = 0, id = 0;
  int64_t used_ms = 0;  // last written or used
};
using SweepCandidates = std::vector<SweepCandidate>;

// Where the scan of all rows continues: by range and type, then oldest change first.
struct SweepPlace {
  int64_t range = -1;
  std::string type;
  int64_t updated_ms = 0, id = 0;
};

// The findings of one page of the scan.
struct ScanPage {
  SweepCandidates expired;    // rows that are not hidden yet
  SweepCandidates old_texts;  // rows with revisions expired for `deleted_ms`
  bool end = false;
};
// Scans at most kLookAt rows from `place` and advances `place`; after the last row, to the first.
base::Result<ScanPage> ScanFrom(sqlite::Database& database, int64_t deleted_ms, SweepPlace& place);

// The rows that a cap evicts: the least recently used ones, except rows that were read, found or
// written again since `used_since_ms`.
struct Cap {
  SweepCandidates rows;
  int64_t exempt = 0;  // rows above the cap that stay because they were used
};
// `rule` is one of `rules`, those of `project`.
base::Result<Cap> FindCapped(sqlite::Database& database, const RetentionRules& rules,
                             const RetentionRule& rule, int64_t project, int64_t used_since_ms);

base::Result<bool> IsExpired(sqlite::Database& database, int64_t slot);  // expired, not yet hidden
// Live, and neither written nor used since the scan.
base::Result<bool> IsAsItWas(sqlite::Database& database, const SweepCandidate& row);

// Rows behind slot `after` that retention hid and that the present rules would keep.
base::Result<SweepCandidates> FindRestorable(sqlite::Database& database, int64_t after);
// → 1; or 0: the row was deleted, or its topic has another row now.
base::Result<int64_t> RestoreOne(sqlite::Database& database, int64_t slot);

// Removes at most `most` rows that were hidden or soft-deleted until `before_ms`. A row that
// retention hid stays if it was used since `used_since_ms`. → how many.
base::Result<int64_t> Purge(sqlite::Database& database, int64_t before_ms, int64_t used_since_ms,
                            int64_t most);
base::Result<int64_t> ForgetKeys(sqlite::Database& database, int64_t before_ms);  // 500 at most
// Removes the revisions of a row that are expired for at least `deleted_ms`. → how many.
base::Result<int64_t> RemoveTexts(sqlite::Database& database, const SweepCandidate& row,
                                  int64_t deleted_ms);

}  // namespace memory
