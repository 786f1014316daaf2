// Replaces the file before a request, so that after a crash reserved tokens count as used.
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

// A clock set back over midnight gives no second budget; after a clock that was days ahead the
// budget recovers soon.
void TokenBudget::Turn() {
  const int64_t today = clock_.NowMs() / kDayMs;
  if (today == day_ || today == day_ - 1) return;
  day_ = today;
  used_ = 0;
}

Status TokenBudget::Write() const {
  return base::ReplaceFile(file_, base::DumpJson({{"day", day_}, {"used", used_}}) + "\n");
}

Result<std::optional<TokenBudget::Taken>> TokenBudget::Take(int64_t tokens) {
  const std::lock_guard lock(mutex_);
  Turn();
  if (tokens > per_day_ - used_) return std::optional<Taken>();
  used_ += tokens;
  if (const Status written = Write(); !written) {
    used_ -= tokens;
    return written.error();
  }
  return std::optional(Taken{day_, tokens});
}

void TokenBudget::Settle(const Taken& taken, int64_t used) {
  const std::lock_guard lock(mutex_);
  Turn();
  if (taken.day != day_) return;
  used_ = std::max<int64_t>(0, used_ - taken.tokens) + std::min(used, per_day_);
  // The file has the reserved number: without this write a restart counts that.
  if (const Status written = Write(); !written)
    base::LogWarn("the token budget could not be saved", {{"reason", written.error().message}});
}

int64_t TokenBudget::Left() {
  const std::lock_guard lock(mutex_);
  Turn();
  return std::max<int64_t>(0, per_day_ - used_);
}

}  // namespace memory
