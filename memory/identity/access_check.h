// Grants of shared memory on a cluster: asks an AccessReviewer and caches its answers for a short
// time, so that a request costs no call to the cluster and a revoked grant ends soon. Fails closed:
// without an answer nobody reads or writes what is not their own.
#pragma once

#include <condition_variable>
#include <mutex>
#include <set>

#include "lib/base/limits/lru.h"
#include "lib/base/process/clock.h"
#include "lib/telemetry/metrics.h"
#include "memory/identity/access_reviewer.h"
#include "memory/identity/shared_access.h"

namespace memory {

class AccessCheck : public SharedAccess {
 public:
  struct Options {
    int64_t keep_ms = 10'000;    // of cached answers: a revoked grant holds so long
    int64_t pause_ms = 1'000;    // after a failure, before the next review
    int64_t wait_ms = 5'000;     // for a free review, or for another thread's answer
    size_t most_answers = 8192;  // cached
    size_t most_reviews = 8;     // concurrent
    size_t most_waiting = 8;     // threads; more are refused, so that other requests are served
  };
  // `reviewer` null: without a cluster each Agent uses only its own items. All outlive this.
  AccessCheck(AccessReviewer* reviewer, const base::Clock& clock, telemetry::Metrics& metrics,
              Options options);
  base::Result<bool> May(const SharedCaller& caller, SharedVerb verb,
                         const std::string& owner) override;
  base::Result<bool> MayListAll(const SharedCaller& caller) override;

 private:
  struct Answer {
    bool allowed = false;
    int64_t until_ms = 0;  // monotonic
  };
  base::Result<bool> Ask(const AccessQuestion& question);
  base::Result<bool> Counted(base::Result<bool> answer, const char* outcome);
  base::Error Unknown(const std::string& reason) const;

  AccessReviewer* const reviewer_;
  const base::Clock& clock_;
  telemetry::Metrics& metrics_;
  const Options options_;
  std::mutex mutex_;
  std::condition_variable wake_;
  base::LruMap<Answer> answers_;
  std::set<std::string> asking_;  // keys under review
  size_t waiting_ = 0;
  int64_t ask_again_ms_ = INT64_MIN;  // monotonic
  std::string failure_;               // the reason of the last failure
};

}  // namespace memory
