// The values that a turn gives to its writes to the outbox. outbox.h is the queue. Calls run inside
// the caller's transaction.
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
// Enqueues a POST /ingest/turns with this body, in a lane of its own, so that the session's writes
// do not wait for it. Adds user and Agent of the policy to the body (ContextOf).
base::Status EnqueueIngest(sqlite::Database& db, const std::string& session, base::Json body,
                           const std::string& idempotency_key, const OutboxContext& context);
// User and Agent of a row of kind ingest, for the headers of its delivery; empty: absent.
struct RowContext {
  std::string user, agent;
};
RowContext ContextOf(const OutboxRow& row);

}  // namespace sidecar
