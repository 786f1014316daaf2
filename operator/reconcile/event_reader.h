// Reads the Events that say why a pod is missing. There is no watch of Events, which a cluster
// writes all the time: a list of one object's Events makes the API server scan those of its
// namespace, so that answers are kept for a while, and lists of all workers keep their distance.
// In memory only.
#pragma once

#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "lib/base/guarded.h"
#include "lib/base/process/clock.h"
#include "lib/kube/client/kube_client.h"
#include "operator/pods/causes.h"
#include "operator/reconcile/rate_limiter.h"

namespace controller {

// Any thread.
class EventReader {
 public:
  static constexpr int64_t kListsPerMinute = 300;
  // Objects of one manifest are looked at in the same moment, again and again: without a burst one
  // of them may come too late each time.
  static constexpr int64_t kListsAtOnce = 50;

  // Both must outlive this.
  EventReader(kube::KubeClient& client, const base::Clock& clock)
      : client_(client), clock_(clock), lists_(kListsPerMinute, kListsAtOnce) {}

  // The causes that Events on `suspects` name, in their order; the known ones where it is too early
  // to ask again. Logs an error, which is no cause: a role may lack the right to read Events.
  std::vector<Cause> CausesOf(const std::string& name_space, const std::vector<Suspect>& suspects,
                              const std::stop_token& stop);

 private:
  struct Answer {
    int64_t until_ms = 0;  // wall clock
    std::optional<Cause> cause;
  };

  std::optional<Cause> ReadCause(const std::string& name_space, const Suspect& suspect,
                                 int64_t now_ms);

  kube::KubeClient& client_;
  const base::Clock& clock_;
  RateLimiter lists_;
  base::Guarded<std::map<std::string, Answer>> answers_;  // by UID of the suspect
};

}  // namespace controller
