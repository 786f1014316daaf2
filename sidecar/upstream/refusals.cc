// A row counts as refused alone if the server accepted another row since the row's last try.
#include "sidecar/upstream/refusals.h"

#include <algorithm>

namespace sidecar {
namespace {

constexpr int kConflictTries = 5;

}  // namespace

Refusals::Turn Refusals::TurnOf(const std::string& lane, int64_t sequence, Pass& pass) {
  pass.seen.insert(lane);
  if (pass.waiting.contains(lane)) return Turn::kWait;
  const auto found = lanes_.find(lane);
  if (found == lanes_.end()) return Turn::kSend;
  const Refused& refused = found->second;
  const bool wait = all_wait_ ? refused.probed == probes_ : pass.begin_ms < refused.due_ms;
  if (wait) {
    pass.waiting.insert(lane);
    return Turn::kWait;
  }
  if (!refused.step_over || refused.sequence != sequence) return Turn::kSend;
  pass.stepped.insert(lane);
  return Turn::kStepOver;
}

Refusals::Verdict Refusals::OnServerFault(const OutboxRow& row, const DeliveryOutcome& fault,
                                          int64_t now_ms) {
  Refused& refused = Of(row);
  refused.probed = probes_;
  if (refused.sequence != row.sequence) {  // the row after a skipped one
    refused.step_over = false;
  } else {
    if (refused.tries > 0 && taken_ > refused.taken) ++refused.alone;
    ++refused.tries;
    refused.taken = taken_;
    const bool often = fault.most_tries > 0 && refused.tries >= fault.most_tries;
    if (often && (refused.alone >= fault.most_tries || refused.stepped_over))
      return Verdict::kRowIsDead;
    // Only without another row to compare with, and never in an outage, whose end would deliver the
    // next row before the first.
    const bool uncompared = refused.tries - refused.alone >= fault.most_tries;
    refused.step_over = often && uncompared && fault.maybe_row && !all_wait_;
  }
  Postpone(refused, now_ms);
  if (!all_wait_ && refused.alone > 0) return Verdict::kLaneWaits;
  const bool first_doubt = doubted_.empty() || doubted_ == row.lane;
  if (!all_wait_ && fault.maybe_row && first_doubt) {
    doubted_ = row.lane;
    return Verdict::kLaneWaits;
  }
  all_wait_ = true;
  return Verdict::kAllWait;
}

Refusals::Verdict Refusals::OnConflict(const OutboxRow& row, int64_t now_ms) {
  OnWell();
  Refused& refused = Of(row);
  if (++refused.tries >= kConflictTries) return Verdict::kRowIsDead;
  Postpone(refused, now_ms);
  return Verdict::kLaneWaits;
}

void Refusals::OnSettled(const OutboxRow& row, int64_t now_ms) {
  OnWell();
  ++taken_;
  doubted_.clear();
  const auto found = lanes_.find(row.lane);
  if (found == lanes_.end()) return;
  Refused& refused = found->second;
  if (refused.sequence == row.sequence || !refused.step_over) {
    lanes_.erase(found);
  } else {  // the skipped row gets one more try
    refused.step_over = false;
    refused.stepped_over = true;
    Postpone(refused, now_ms);
  }
}

void Refusals::OnWell() {
  all_wait_ = false;
  all_.Reset();
}

void Refusals::Drop(const OutboxRow& row) {
  const auto found = lanes_.find(row.lane);
  if (found != lanes_.end() && found->second.sequence == row.sequence) lanes_.erase(found);
}

int64_t Refusals::WaitAfter(Pass& pass, int64_t now_ms, int64_t longest_ms) {
  std::erase_if(lanes_, [&](const auto& lane) {
    return !pass.seen.contains(lane.first) && !pass.waiting.contains(lane.first);
  });
  for (const std::string& lane : pass.stepped) {  // the lane has no next row
    const auto found = lanes_.find(lane);
    if (found == lanes_.end()) continue;
    found->second.step_over = false;
    if (all_wait_) return 1;
    Postpone(found->second, now_ms);
  }
  if (all_wait_) {
    const bool all_probed = std::ranges::all_of(
        lanes_, [&](const auto& lane) { return lane.second.probed == probes_; });
    if (!all_probed || lanes_.empty()) return longest_ms;
    ++probes_;
    return 1;
  }
  int64_t wait_ms = longest_ms;
  // A lane that is due but was not sent waits for another condition, such as the quota.
  for (const auto& [lane, refused] : lanes_) {
    if (refused.due_ms > pass.begin_ms) wait_ms = std::min(wait_ms, refused.due_ms - now_ms);
  }
  return std::max<int64_t>(wait_ms, 1);
}

// The state of the lane's first row; the row after a skipped one shares it.
Refusals::Refused& Refusals::Of(const OutboxRow& row) {
  const auto found = lanes_.find(row.lane);
  const bool kept =
      found != lanes_.end() && (found->second.sequence == row.sequence || found->second.step_over);
  if (kept) return found->second;
  Refused fresh{.backoff = base::Backoff(first_ms_, longest_ms_, ++seeds_),
                .sequence = row.sequence};
  return lanes_.insert_or_assign(row.lane, fresh).first->second;
}

void Refusals::Postpone(Refused& refused, int64_t now_ms) {
  refused.due_ms = now_ms + std::max<int64_t>(refused.backoff.NextMs(), 1);
}

}  // namespace sidecar
