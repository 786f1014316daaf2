// Fills a row.
#include "sidecar/outbox/outbox_context.h"

namespace sidecar {

base::Status EnqueueObservation(sqlite::Database& db, const std::string& session,
                                const base::Json& body, const std::string& origin,
                                const std::string& idempotency_key, const OutboxContext& context) {
  OutboxRow row;
  row.lane = session;
  row.kind = "observation";
  row.path = "/observations";
  row.body = base::DumpJson(body);
  row.project = context.policy.project;
  row.origin = origin;
  row.destination = context.policy.server_url;
  row.created_ms = context.now_ms;
  row.traceparent = context.traceparent;
  row.idempotency_key = idempotency_key;
  return Enqueue(db, row, context.limits);
}

}  // namespace sidecar
