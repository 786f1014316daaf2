// The rows that a round of retention hides, restores and removes: the seam between what it decides
// (memory/keeping/sweeping.h) and an engine. Which rows are expired the engine knows, as for reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "memory/model/retention.h"
#include "memory/rows/deletions.h"
#include "memory/rows/host.h"

namespace memory {

// Why a row was retired: hidden by retention, not by a client.
inline constexpr const char* kRetiredByTtl = "ttl";
inline constexpr const char* kRetiredByCap = "cap";

// Where the scan of all rows continues: by range and type, then oldest change first. Of the engine.
struct SweepPlace {
  int64_t range = -1;
  std::string type;
  int64_t updated_ms = 0, id = 0;
};

// The findings of one page of the scan.
struct SweepPage {
  std::vector<RowId> expired;    // rows that are not hidden yet
  std::vector<RowId> old_texts;  // rows with old revisions
  bool end = false;              // of all rows; the place is the first one again
};

// The live rows of a project that have this rule.
struct RowsOfRule {
  int64_t project = 0;
  RetentionRule rule;
  std::vector<std::string> other_types;  // of the scope; for the type *: they have their own rules
};

// A row that is not hidden.
struct SweepRow {
  RowId row = 0;
  int64_t id = 0, used_ms = 0;  // last written or used
  bool expired = false;
};

// Bound to one transaction or snapshot: a read sees the writes before it, and whoever opened the
// transaction commits it, or rolls it back after an error. One thread. Errors: kUnavailable,
// kTimeout, kFull, kInternal.
class SweepRows {
 public:
  virtual ~SweepRows() = default;

  // Scans at most `most` rows that are not hidden, and advances `place`. A revision is old
  // `old_ms` after it expired.
  virtual base::Result<SweepPage> Scan(SweepPlace& place, int64_t old_ms, int64_t most) = 0;
  virtual base::Result<std::optional<SweepRow>> Find(RowId row) = 0;
  // A retired row is not live, and its topic is free.
  virtual base::Status Retire(RowId row, const char* reason, int64_t now_ms) = 0;
  virtual base::Result<int64_t> RemoveOldTexts(RowId row, int64_t old_ms) = 0;  // → how many

  virtual base::Result<std::vector<int64_t>> Projects() = 0;
  // How many rows there are beyond the rule's limit. 0: none.
  virtual base::Result<int64_t> CountAbove(const RowsOfRule& of) = 0;
  // The least recently used rows, without those that were used since, or written again. A first
  // write and a change protect no row: else a cap would evict none.
  virtual base::Result<std::vector<SweepRow>> FindUnused(const RowsOfRule& of, int64_t since_ms,
                                                         int64_t most) = 0;
  virtual bool WasJustUsed(const SweepRow& row, int64_t since_ms) = 0;  // of uses not yet in a file

  virtual base::Result<bool> IsRetired(RowId row) = 0;
  // Rows behind `after`, in their order, that were retired by a ttl and are not expired now.
  virtual base::Result<std::vector<RowId>> FindRestorable(RowId after, int64_t most) = 0;
  virtual base::Result<bool> Show(RowId row) = 0;  // false: another row has its topic

  // Rows that were hidden until then, the first ones first; no retired row that was used since.
  virtual base::Result<std::vector<RowId>> FindRemovable(int64_t hidden_until_ms,
                                                         int64_t used_since_ms, int64_t most) = 0;
  // Takes a bounded number of edges from a row before its removal. False: there are more.
  virtual base::Result<bool> Unlink(RowId row) = 0;
  virtual base::Status Remove(RowId row) = 0;  // with its revisions
  virtual Deletions& deletions() = 0;          // of the same transaction
  // Idempotency-Keys, at most `most`. → how many.
  virtual base::Result<int64_t> ForgetKeys(int64_t used_before_ms, int64_t most) = 0;
};

using SweepHost = RowHost<SweepRows>;

}  // namespace memory
