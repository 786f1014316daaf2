// Tells the memory server how long and how many memories of the project are kept, when the policy
// says so. What the rules mean is the server's to know.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "lib/api/policy.h"
#include "lib/base/process/clock.h"
#include "sidecar/outbox/outbox.h"
#include "sidecar/state/state.h"
#include "sidecar/tables/retention.h"

namespace sidecar {

// What is to be told once `now` is in force: rules that changed, or all at a start, for the server
// may be another one; and that rules are taken back where they do not come from any more, another
// project or server included. An Agent that told none takes none away from another of its project;
// one that told some does, for a project has one list: the last one told. While the policy names no
// server nothing is told. Empty rules: taken back. Pure.
std::vector<RetentionTold> RetentionNotices(const std::vector<RetentionTold>& told,
                                            const api::Policy& now, bool at_start);

// Puts the notices into the outbox and notes them, in one commit: they reach the server in order,
// and survive that it is away.
base::Status TellRetention(State& state, const api::Policy& now, bool at_start,
                           const OutboxLimits& limits, int64_t now_ms);

// Tells them when a policy comes into force, and again what an outbox without room refused. Any
// thread, one at a time.
class RetentionTeller {
 public:
  // → the policy in force, if there is one.
  using InForce = std::function<std::optional<api::Policy>()>;
  // All outlive it. `wake` tells the delivery that there are new rows.
  RetentionTeller(State& state, const OutboxLimits& limits, const base::Clock& clock,
                  InForce in_force, std::function<void()> wake);
  void Tell();           // after a policy came into force
  void TellWhatWaits();  // once more if the last call was refused

 private:
  void TellLocked();

  State& state_;
  const OutboxLimits limits_;
  const base::Clock& clock_;
  const InForce in_force_;
  const std::function<void()> wake_;
  std::mutex mutex_;
  bool told_ = false;  // since the start
  bool waits_ = false;
};

}  // namespace sidecar
