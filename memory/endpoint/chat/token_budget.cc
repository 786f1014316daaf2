// Writes the reservation to the file before the request is sent, so that reserved tokens count as
// used after a crash: a server that restarts in a loop must not spend a day's budget each time.
#include "memory/endpoint/chat/token_budget.h"

#include <algorithm>
#include <utility>

#include "lib/base/json/json.h"
#include "lib/base/process/file.h"
#include "lib/base/process/log.h"

namespace memory {

using base::Json;
using base::Result;
using base::Status;

namespace {

constexpr size_t kMostFileBytes = 4096;

}  // namespace

TokenBudget::TokenBudget(std::string file, int64_t per_day, const base::Clock& clock)
    : file_(std::move(file)), per_day_(per_day), clock_(clock), day_(clock.NowMs() / kDayMs) {
  Load();
}

void TokenBudget::Load() {
  const Result<std::string> text = base::ReadFile(file_, kMostFileBytes);
  if (!text && text.error().code == base::Code::kNotFound) return;
  const Result<Json> kept = text ? base::ParseJson(*text) : Result<Json>(text.error());
  const Json* day = kept ? base::At(*kept, {"day"}) : nullptr;
  const Json* used = kept ? base::At(*kept, {"used"}) : nullptr;
  if (day && used && day->is_number_integer() && used->is_number_integer() && *used >= 0) {
    day_ = day->get<int64_t>();
    used_ = used->get<int64_t>();
    return;
  }
  used_ = per_day_;
  base::LogWarn(
      "the used part of the token budget is unknown: all of today's counts as used",
      {{"file", file_}, {"reason", kept ? "it has no day and used" : kept.error().message}});
}

// Begins a new day. A clock that is set back over midnight gives no second budget; after a clock
// that was days ahead, the budget recovers soon.
void TokenBudget::RollDay() {
  const int64_t today = clock_.NowMs() / kDayMs;
  if (today == day_ || today == day_ - 1) return;
  day_ = today;
  used_ = 0;
}

Status TokenBudget::Write() const {
  return base::ReplaceFile(file_, base::DumpJson({{"day", day_}, {"used", used_}}) + "\n");
}

Result<std::optional<TokenBudget::Reservation>> TokenBudget::Reserve(int64_t tokens) {
  const std::lock_guard lock(mutex_);
  RollDay();
  if (tokens > per_day_ - used_) return std::optional<Reservation>();
  used_ += tokens;
  if (const Status written = Write(); !written) {
    used_ -= tokens;
    return written.error();
  }
  return std::optional(Reservation{day_, tokens});
}

void TokenBudget::Settle(const Reservation& reserved, int64_t used) {
  const std::lock_guard lock(mutex_);
  RollDay();
  if (reserved.day != day_) return;
  used_ = std::max<int64_t>(0, used_ - reserved.tokens) + std::min(used, per_day_);
  // If this write fails, the file has the reserved number, which a restart then counts.
  if (const Status written = Write(); !written)
    base::LogWarn("the token budget could not be saved", {{"reason", written.error().message}});
}

int64_t TokenBudget::Left() {
  const std::lock_guard lock(mutex_);
  RollDay();
  return std::max<int64_t>(0, per_day_ - used_);
}

}  // namespace memory
