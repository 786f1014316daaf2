// POST /v1/hooks: bytes to an event, the turn's answer to bytes. What happens in between is turn.h.
#pragma once

#include "lib/http/message.h"
#include "lib/telemetry/metrics.h"
#include "sidecar/turn.h"

namespace sidecar {

inline constexpr size_t kMaxHookBytes = 8 << 20;

class Hooks {
 public:
  Hooks(Turn& turn, telemetry::Metrics& metrics) : turn_(turn), metrics_(metrics) {}
  http::Response Handle(const http::Request& request);

 private:
  base::Result<base::Json> Answer(const http::Request& request);
  Turn& turn_;
  telemetry::Metrics& metrics_;
};

}  // namespace sidecar
