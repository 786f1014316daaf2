// Builds the outbox rows of a turn.
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

// The context is in the body, which the row's checksum covers; the server ignores unknown fields.
base::Status EnqueueIngest(sqlite::Database& db, const std::string& session, base::Json body,
                           const std::string& idempotency_key, const OutboxContext& context) {
  body["project"] = context.policy.project;
  body["context"] = {{"user", context.policy.user}, {"agent", context.policy.agent}};
  OutboxRow row;
  row.lane = "ingest/" + session;
  row.kind = kIngestKind;
  row.path = api::kIngestPath;
  row.body = base::DumpJson(body);
  row.project = context.policy.project;
  row.destination = context.policy.server_url;
  row.created_ms = context.now_ms;
  row.traceparent = context.traceparent;
  row.idempotency_key = idempotency_key;
  return Enqueue(db, row, context.limits);
}

RowContext ContextOf(const OutboxRow& row) {
  if (row.kind != kIngestKind) return {};
  const base::Json body = base::ParseJson(row.body).value_or(base::Json());
  return {base::StringAt(body, {"context", "user"}), base::StringAt(body, {"context", "agent"})};
}

}  // namespace sidecar
