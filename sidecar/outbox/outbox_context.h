// The values that a turn gives to its writes to the outbox. The queue itself is outbox.h. Calls run
// inside the caller's transaction.
#pragma once

#include <cstdint>
#include <string>

#include "lib/api/policy.h"
#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "sidecar/outbox/outbox.h"

namespace sidecar {

struct OutboxContext {
  const api::Policy& policy;
  const OutboxLimits& limits;
  int64_t now_ms = 0;
  std::string traceparent = {};  // see OutboxRow
};

// Enqueues a POST /observations with this body, unchanged.
base::Status EnqueueObservation(sqlite::Database& db, const std::string& session,
                                const base::Json& body, const std::string& origin,
                                const std::string& idempotency_key, const OutboxContext& context);

}  // namespace sidecar
