// A budget of tokens per day (UTC) for a model, across threads and restarts. Each request reserves
// its maximum cost first, so that concurrent requests cannot exceed the budget.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "lib/base/process/clock.h"
#include "lib/base/result.h"

namespace memory {

class TokenBudget {
 public:
  static constexpr int64_t kDayMs = 24 * 3'600'000LL;
  struct Reservation {
    int64_t day = 0, tokens = 0;
  };
  // `file` has the day and its use; `clock` outlives this. An unreadable file means no tokens for
  // today.
  TokenBudget(std::string file, int64_t per_day, const base::Clock& clock);

  // Reserves tokens. nullopt: fewer are left today. Errors: the file cannot be written, and nothing
  // was reserved. Any thread.
  base::Result<std::optional<Reservation>> Reserve(int64_t tokens);
  // Settles a reservation; `used` may exceed it if the request cost more.
  void Settle(const Reservation& reserved, int64_t used);
  int64_t Left();  // today

 private:
  void Load();
  void RollDay();  // of the day
  base::Status Write() const;

  const std::string file_;
  const int64_t per_day_;
  const base::Clock& clock_;
  std::mutex mutex_;
  int64_t day_ = 0, used_ = 0;  // under mutex_
};

}  // namespace memory
