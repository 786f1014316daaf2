// When fields and checkpoints of a file's conversations expire: their clock, the refreshes of
// fields by reads, and what of both has to be written now and then. Rows that are over are removed
// in small pieces, so that no reader waits.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "lib/base/process/aging_clock.h"
#include "lib/base/result.h"
#include "lib/conversation/working/field_refreshes.h"
#include "lib/conversation/working/field_table.h"
#include "lib/sqlite/database.h"

namespace conversation {

// Any thread; Keep and Sweep one at a time.
class FieldLife {
 public:
  // `clock` outlives this; `saved_ms`: LoadFieldClock of the file.
  FieldLife(const base::Clock& clock, int64_t saved_ms, int64_t default_ttl_ms = kDefaultFieldTtlMs)
      : clock_(clock, saved_ms), default_ttl_ms_(default_ttl_ms), saved_ms_(saved_ms) {}

  FieldTime Now() const { return {clock_.NowMs(), refreshes_}; }
  int64_t WallMs(int64_t aged_ms) const { return clock_.WallMs(aged_ms); }
  int64_t TtlMs(const WorkingFields& fields) const {
    return fields.ttl_ms > 0 ? fields.ttl_ms : default_ttl_ms_;
  }
  int64_t default_ttl_ms() const { return default_ttl_ms_; }
  FieldRefreshes& refreshes() { return refreshes_; }

  // Runs its argument in a transaction and returns after the commit.
  using Write =
      std::function<base::Status(const std::function<base::Status(sqlite::Database&)>& work)>;
  // Refreshes wait for longer than a crash may forget them.
  bool Due() const { return refreshes_.Count() > 0 && clock_.NowMs() - kept_ms_ >= kKeepEveryMs; }
  // Writes the refreshes, and the clock when it is `every_ms` ahead of the file; nothing when there
  // is nothing. A crash loses what was not written since the last call.
  base::Status Keep(const Write& write, int64_t every_ms = kSaveEveryMs);
  // Keep, then removes what is over. `stopping` is called between pieces. → rows removed.
  base::Result<int64_t> Sweep(const Write& write, const std::function<bool()>& stopping);

 private:
  static constexpr int64_t kSaveEveryMs = 600'000, kKeepEveryMs = 10'000;
  const base::AgingClock clock_;
  const int64_t default_ttl_ms_;
  std::atomic<int64_t> saved_ms_, kept_ms_{0};
  FieldRefreshes refreshes_;
};

base::Result<int64_t> LoadFieldClock(sqlite::Database& db);  // 0: never saved

}  // namespace conversation
