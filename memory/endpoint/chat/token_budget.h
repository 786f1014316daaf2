// How many tokens may be used of a model a day (UTC), over all threads and restarts. What a request
// may cost at most is taken before it, so that no number of requests at once passes the budget.
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
  struct Taken {
    int64_t day = 0, tokens = 0;
  };
  // `file` keeps the day and what was used of it; `clock` outlives this. A file that cannot be read
  // as that has no tokens left for today.
  TokenBudget(std::string file, int64_t per_day, const base::Clock& clock);

  // nullopt: fewer are left today. Errors: it cannot be written down, and nothing was taken. Any
  // thread.
  base::Result<std::optional<Taken>> Take(int64_t tokens);
  // `used`: of what was taken, or more when a request cost more.
  void Settle(const Taken& taken, int64_t used);
  int64_t Left();  // today

 private:
  void Load();
  void Turn();  // of the day
  base::Status Write() const;

  const std::string file_;
  const int64_t per_day_;
  const base::Clock& clock_;
  std::mutex mutex_;
  int64_t day_ = 0, used_ = 0;  // under mutex_
};

}  // namespace memory
