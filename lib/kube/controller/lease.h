// The claim of a replica to a Lease (coordination.k8s.io/v1), by the rules of client-go's
// leaderelection: only its holder may write. One try per call; leader.h has the thread that repeats
// them.
#pragma once

#include <atomic>
#include <random>
#include <string>

#include "lib/kube/client/kube_client.h"

namespace kube {

struct LeaseSettings {
  ObjectKey key;         // Try creates a missing Lease
  std::string identity;  // of this replica; must be unique, or two replicas lead
  // Other replicas wait this long after the holder's last renewal; at least 1 s, since a Lease
  // counts in seconds.
  int64_t duration_ms = 15'000;
  int64_t renew_deadline_ms = 10'000;  // the holder stops writing this long after its last renewal
  int64_t retry_ms = 2'000;            // between two tries
  uint64_t seed = 0;                   // of the jitter; 0: from the system
};

// Settings for a client that only serves a Lease: a call that times out leaves time for another one
// before the renew deadline, and a Retry-After ends before the next try.
ClientSettings ForLease(ClientSettings client, const LeaseSettings& lease);

// One thread calls Try, Release and NextTryMs; the rest is for any thread.
class Lease {
 public:
  // `client` must outlive this; its settings should be ForLease, without the write allowance of
  // this Lease.
  Lease(KubeClient& client, LeaseSettings settings, const base::Clock& clock = base::SystemClock());

  // Renews the Lease, or takes it if no replica holds it: one to three calls. An error: no answer,
  // or another replica was faster; a held Lease stays held until the renew deadline. Clocks of
  // other replicas are not trusted: the Lease of a holder has expired if its spec did not change
  // for its duration on the own clock.
  base::Status Try();
  // How long Try has been failing, ms; 0: the last Try succeeded. For /readyz.
  int64_t FailingMs() const;
  // Releases the Lease, so that another replica need not wait: up to three calls. Ok if not held.
  base::Status Release();

  bool Holds() const { return WriteAllowanceMs() > 0; }
  // How long a write sent now may take, ms, until another replica may hold the Lease; 0: no write,
  // since the Lease is not held or not renewed in time. For ClientSettings::write_allowance_ms.
  int64_t WriteAllowanceMs() const;
  // The wait until the next Try, ms: with jitter below retry_ms, so that replicas do not call in
  // step, or until the end of another holder's Lease, if that is earlier.
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
  Json spec_;                // last seen, even of a deleted Lease; null: none seen
  std::string version_;      // of the Lease; empty: it does not exist
  int64_t observed_ms_ = 0;  // monotonic: when spec_ was first seen
  // Monotonic: the start of the last successful write, before any replica can have seen it.
  std::atomic<int64_t> renewed_ms_{INT64_MIN};        // INT64_MIN: not held
  std::atomic<int64_t> failing_since_ms_{INT64_MIN};  // monotonic; INT64_MIN: not failing
};

}  // namespace kube
