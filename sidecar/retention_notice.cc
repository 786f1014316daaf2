// One PUT a change of the policy, and one a start: the server may be another one meanwhile.
#include "sidecar/retention_notice.h"

#include "lib/base/json.h"
#include "lib/http/message.h"

namespace sidecar {

std::optional<OutboxRow> RetentionNotice(const api::Policy* before, const api::Policy& now,
                                         int64_t now_ms) {
  const bool same_place =
      before && before->project == now.project && before->server_url == now.server_url;
  if (same_place && before->retention == now.retention) return std::nullopt;
  if (now.retention.empty() && (!same_place || before->retention.empty())) return std::nullopt;
  OutboxRow row;
  row.lane = row.kind = "retention";
  row.method = "PUT";
  row.path = "/retention?project=" + http::PercentEncode(now.project);
  row.body = base::DumpJson({{"retention", api::EncodeRetention(now.retention)}});
  row.project = now.project;
  row.destination = now.server_url;
  row.created_ms = now_ms;
  return row;
}

base::Status TellRetention(State& state, const api::Policy* before, const api::Policy& now,
                           const OutboxLimits& limits, int64_t now_ms) {
  const std::optional<OutboxRow> row = RetentionNotice(before, now, now_ms);
  if (!row) return {};
  return state.Change([&](sqlite::Database& db) { return Enqueue(db, *row, limits); });
}

}  // namespace sidecar
