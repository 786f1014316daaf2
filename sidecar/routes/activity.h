// Tracks the agent's requests, so that an upgrade waits for a quiet moment, and the supervisor of a
// laptop ends what is not used. Both ask whether the sidecar answers (/health): that is no use.
#pragma once

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "lib/base/process/clock.h"
#include "lib/http/message/router.h"

namespace sidecar {

// Any thread.
class Activity {
 public:
  explicit Activity(const base::Clock& clock) : clock_(clock), last_ms_(clock.MonotonicMs()) {}
  // The routes with handlers that count a request from its beginning to its answer,
  // but not /health.
  std::vector<http::Route> Watched(std::vector<http::Route> routes) {
    for (http::Route& route : routes) {
      if (route.pattern == "/health") continue;
      route.handler = [this, handle = std::move(route.handler)](const http::Request& request) {
        const Asking asking(*this);
        return handle(request);
      };
    }
    return routes;
  }
  // Milliseconds since the last answer, or since the start; 0 while a request runs.
  int64_t QuietMs() const {
    return in_flight_ > 0 ? 0 : std::max<int64_t>(0, clock_.MonotonicMs() - last_ms_);
  }

 private:
  struct Asking {
    explicit Asking(Activity& activity) : activity(activity) { ++activity.in_flight_; }
    ~Asking() {
      activity.last_ms_ = activity.clock_.MonotonicMs();
      --activity.in_flight_;
    }
    Activity& activity;
  };
  const base::Clock& clock_;
  std::atomic<int64_t> last_ms_;
  std::atomic<int> in_flight_{0};
};

}  // namespace sidecar
