// A claim to a Lease (coordination.k8s.io/v1), which one of several replicas holds at a time, by
// the rules of client-go's leaderelection: who holds it may write. Tries once when told to; the
// thread that keeps trying is leader.h.
#pragma once

#include <atomic>
#include <random>
#include <string>

#include "lib/kube/client/kube_client.h"

namespace kube {

struct LeaseSettings {
  ObjectKey key;         // made when there is none
  std::string identity;  // of this replica; two that share one would both lead
  // After a holder's last sign of life others wait so long; at least 1 s, since a Lease counts in
  // seconds.
  int64_t duration_ms = 15'000;
  int64_t renew_deadline_ms = 10'000;  // after his own last success a holder stops writing
  int64_t retry_ms = 2'000;            // between two tries
  uint64_t seed = 0;                   // of the jitter; 0: from the system
};

// Settings of the client of a Lease alone: one call without an answer leaves time for another, and
// a Retry-After does not last until the next try.
ClientSettings ForLease(ClientSettings client, const LeaseSettings& lease);

// One thread calls Try and Release; the rest is for any thread.
class Lease {
 public:
  // `client` must outlive this; its settings should be ForLease, without a write allowance that
  // asks this.
  Lease(KubeClient& client, LeaseSettings settings, const base::Clock& clock = base::SystemClock());

  // Takes the Lease if nobody holds it, or renews it: one to three calls. An error: no answer, or
  // somebody else was faster; what was held stays so until its deadline. Times of other machines
  // are not believed: a holder counts as gone when his record has not changed for its duration on
  // our own clock.
  base::Status Try();
  // How long Try has failed, ms, as of now; 0: the last one did not. For /readyz.
  int64_t FailingMs() const;
  // Gives it up, so that another replica need not wait: one to three calls. Ok when it is not held.
  base::Status Release();

  bool Holds() const { return WriteAllowanceMs() > 0; }
  // How long a write that is sent now may take, ms, until others may hold the Lease; 0: none may be
  // sent, since it is not ours or was not renewed in time. For ClientSettings::write_allowance_ms.
  int64_t WriteAllowanceMs() const;
  // When to call Try again, ms from now: earlier than the retry period, so that replicas do not ask
  // in step, and at the moment at which another's Lease ends.
  int64_t NextTryMs();
  const LeaseSettings& settings() const { return settings_; }

 private:
  base::Status TakeOrRenew();
  base::Status Look();
  base::Status Write();
  base::Status WriteFree();
  void Observe(const Json& lease);
  int64_t EndOfOthersMs() const;
  Json Record(int64_t duration_s, const std::string& holder, bool taken) const;

  KubeClient& client_;
  const LeaseSettings settings_;
  const base::Clock& clock_;
  std::mt19937_64 random_;
  Json spec_;                // as last seen, also of one that was deleted; null: there was none
  std::string version_;      // of it; empty: there is none now
  int64_t observed_ms_ = 0;  // monotonic: when spec_ was first seen so
  // Monotonic: when the last write that succeeded was begun, earlier than anybody can have seen it.
  std::atomic<int64_t> renewed_ms_{INT64_MIN};        // INT64_MIN: not held
  std::atomic<int64_t> failing_since_ms_{INT64_MIN};  // monotonic; INT64_MIN: it is not
};

}  // namespace kube
