// Expiry of fields and checkpoints of a file's conversations: the clock, the refreshes of fields by
// reads, and the periodic writes of both. Expired rows are removed in small batches, so that no
// reader waits.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "lib/base/process/aging_clock.h"
#include "lib/base/result.h"
#include "lib/conversation/working/fields.h"

namespace conversation {

// Any thread; Keep and Sweep one at a time.
class FieldLife {
 public:
  // `clock` outlives this; `saved_ms`: Rows::LoadClock of the file.
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
  using Write = std::function<base::Status(const std::function<base::Status(Rows&)>& work)>;
  // Refreshes are unwritten for kKeepEveryMs or longer: a crash should not lose more.
  bool Due() const { return refreshes_.Count() > 0 && clock_.NowMs() - kept_ms_ >= kKeepEveryMs; }
  // Writes refreshes and clock if there are refreshes, or if the clock is `every_ms` ahead of the
  // file. A crash loses the refreshes since the last call.
  base::Status Keep(const Write& write, int64_t every_ms = kSaveEveryMs);
  // Keep, then removes expired rows. Calls `stopping` between batches. → removed rows.
  base::Result<int64_t> Sweep(const Write& write, const std::function<bool()>& stopping);

 private:
  static constexpr int64_t kSaveEveryMs = 600'000, kKeepEveryMs = 10'000;
  const base::AgingClock clock_;
  const int64_t default_ttl_ms_;
  std::atomic<int64_t> saved_ms_, kept_ms_{0};
  FieldRefreshes refreshes_;
};

}  // namespace conversation
