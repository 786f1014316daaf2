// Sends the retention rules of the policy to the memory server. Only the server interprets them.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "lib/api/policy.h"
#include "lib/base/process/clock.h"
#include "sidecar/outbox/outbox.h"
#include "sidecar/state/state.h"
#include "sidecar/tables/policy_tables.h"

namespace sidecar {

// Updates to send when `now` takes effect: changed rules (all of them at start-up, since the server
// may be new), and withdrawals (empty rules) for projects and servers that `now` does not name any
// more. A project has one list, the last one sent: an Agent that sent none withdraws none of
// another Agent's. None while the policy names no server. Pure.
std::vector<PublishedRetention> RetentionUpdates(const std::vector<PublishedRetention>& told,
                                                 const api::Policy& now, bool at_start);

// Enqueues the updates and records them, in one commit: the outbox delivers them in order.
base::Status EnqueueRetentionUpdates(State& state, const api::Policy& now, bool at_start,
                                     const OutboxLimits& limits, int64_t now_ms);

// Sends updates when a policy comes into force, and again when the outbox had no room. Any thread.
class RetentionPublisher {
 public:
  // The policy in force; nullopt: none yet.
  using InForce = std::function<std::optional<api::Policy>()>;
  // All outlive it. `wake` tells the delivery that there are new rows.
  RetentionPublisher(State& state, const OutboxLimits& limits, const base::Clock& clock,
                     InForce in_force, std::function<void()> wake);
  void Publish();         // call after a policy came into force
  void PublishRefused();  // repeats a refused Publish

 private:
  void PublishLocked();

  State& state_;
  const OutboxLimits limits_;
  const base::Clock& clock_;
  const InForce in_force_;
  const std::function<void()> wake_;
  std::mutex mutex_;
  bool told_ = false;  // published since the start
  bool waits_ = false;
};

}  // namespace sidecar
