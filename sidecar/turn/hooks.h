// The route POST /v1/hooks: decodes the event, encodes the answer. turn.h runs the turn.
#pragma once

#include <atomic>
#include <vector>

#include "lib/base/json/mend.h"
#include "lib/base/process/clock.h"
#include "lib/http/message/router.h"
#include "lib/telemetry/metrics.h"
#include "sidecar/turn/turn.h"

namespace sidecar {

inline constexpr size_t kMaxHookBytes = 8 << 20;  // longest body that is kept whole
inline constexpr size_t kCutHookBytes = 2 << 20;  // kept of a longer body
// The body's text, the parser's token, the event, its redacted form, and the written rows.
inline constexpr size_t kCopiesOfBodies = 5;

class Hooks {
 public:
  Hooks(Turn& turn, telemetry::Metrics& metrics, const base::Clock& clock)
      : turn_(turn), metrics_(metrics), clock_(clock) {}
  std::vector<http::Route> Routes();

 private:
  http::Response Handle(const http::Request& request);
  base::Result<base::Json> Answer(const http::Request& request);
  void CountMends(const base::JsonMends& mends);
  void LogRefusal(const base::Error& error);
  base::Json Misspelt(const std::string& name);  // the answer to an event that is not recorded

  Turn& turn_;
  telemetry::Metrics& metrics_;
  const base::Clock& clock_;
  std::atomic<int64_t> next_log_ms_ = INT64_MIN;
};

// Decodes a posted hook event and reports mends (ADR 47). kInvalid: no JSON, or no event.
base::Result<api::HookEvent> ReadHookEvent(base::MendedJson body);

}  // namespace sidecar
