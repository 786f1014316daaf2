// The table of statuses. A proxy, a mesh or a wrong Service answers with the same numbers as a
// memory server, for every row alike: only what is certainly about the row may end it.
#include "sidecar/upstream/delivery_outcome.h"

#include <algorithm>

#include "lib/api/memory_api.h"
#include "lib/base/json/json.h"
#include "lib/base/text/text.h"

namespace sidecar {
namespace {

using base::Json;
using OutcomeKind = DeliveryOutcome::Kind;

// With pauses that double up to retry-longest: a minute or two of a row that fails by itself, a
// quarter of an hour of what is more likely the way to the server.
constexpr int kRowTries = 10, kWayTries = 30;

// name.namespace.svc, with the cluster's domain behind it or without → the namespace and the
// domain; of other hosts the host itself.
std::string PlaceOf(const std::string& url) {
  const size_t scheme = url.find("://");
  std::string host = scheme == std::string::npos ? url : url.substr(scheme + 3);
  host = host.substr(0, host.find('/'));
  if (host.find(']') == std::string::npos) host = host.substr(0, host.find(':'));
  const auto parts = base::Split(host, '.');
  if (parts.size() < 3 || parts[2] != "svc") return host;
  std::string place = parts[1] + ".svc";
  for (size_t i = 3; i < parts.size(); ++i) place += "." + parts[i];
  // A Service is known by its short name and by its full one in the usual domain.
  return place == parts[1] + ".svc.cluster.local" ? parts[1] + ".svc" : place;
}

Json BodyOf(const http::Response& answer) { return base::ParseJson(answer.body).value_or(Json()); }

bool HasErrorText(const Json& body) { return !base::StringAt(body, {"error"}).empty(); }

// Of a memory server, which says so in its body; and not of the router of one of our programs,
// which knows no such path at all.
bool IsUnknownSession(const OutboxRow& row, const Json& body) {
  return row.kind == "session_end" && base::StringAt(body, {"code"}) == "not_found" &&
         HasErrorText(body) && !base::StringAt(body, {"error"}).starts_with("no such resource");
}

// The key of a capture is of its call and its rule, not of its text: told again when another policy
// is in force, the call is kept already.
bool IsKeptCapture(const OutboxRow& row, const http::Response& answer) {
  return answer.status == 422 && row.origin == api::kOriginRule &&
         base::StringAt(BodyOf(answer), {"code"}) == api::kKeyReused;
}

// A page of a proxy that answers 200 to everything has not stored anything.
bool IsReceipt(const OutboxRow& row, const http::Response& answer) {
  if (answer.status == 204) return answer.body.empty();
  const Json body = BodyOf(answer);
  if (row.kind == "observation" || row.kind == "session")
    return body.is_object() && body.contains("id");
  return body.is_structured();
}

DeliveryOutcome Fault(const char* reason, int most_tries = 0, bool maybe_row = false) {
  return {OutcomeKind::kServerFault, reason, maybe_row, most_tries};
}

DeliveryOutcome Classify4xx(const OutboxRow& row, const http::Response& answer) {
  switch (answer.status) {
    case 413:
    case 414:
      return {OutcomeKind::kRowFault};
    case 400:
    case 422:  // a proxy's own page says nothing about the row
      return HasErrorText(BodyOf(answer)) ? DeliveryOutcome{OutcomeKind::kRowFault}
                                          : Fault("not_served", kRowTries, true);
    case 401:  // about the token: a rotated or late one heals it
      return Fault("unauthenticated");
    case 403:
      return base::StringAt(BodyOf(answer), {"code"}) == "denied" ? Fault("denied", kRowTries, true)
                                                                  : Fault("denied", kWayTries);
    case 404:
      return IsUnknownSession(row, BodyOf(answer)) ? DeliveryOutcome{OutcomeKind::kRowFault}
                                                   : Fault("not_found", kWayTries);
    case 408:
      return Fault("server_error", kRowTries, true);
    case 409:
      return {OutcomeKind::kConflict};
    case 425:
    case 429:
      return {OutcomeKind::kThrottled};
    default:
      return Fault("not_served", kWayTries);
  }
}

}  // namespace

DeliveryOutcome ClassifyResponse(const OutboxRow& row, const http::Response& answer) {
  const int status = answer.status;
  if (status >= 200 && status < 300) {
    return IsReceipt(row, answer) ? DeliveryOutcome{OutcomeKind::kDelivered}
                                  : Fault("wrong_backend", kWayTries);
  }
  if (status < 400) return Fault("redirected", kWayTries);
  if (IsKeptCapture(row, answer)) return {OutcomeKind::kDelivered};
  if (status < 500) return Classify4xx(row, answer);
  if (status == 502 || status == 503 || status == 504) return Fault("overloaded");
  if (status == 507) return Fault("full");
  return Fault("server_error", kRowTries, true);
}

// A row that makes the server crash looks like this too.
DeliveryOutcome ClassifyNoAnswer() { return Fault("unreachable", kWayTries); }

Destination Redirect(const std::string& captured, const std::string& current) {
  if (captured.empty() || current.empty() || captured == current) {
    return {captured.empty() ? current : captured, true};
  }
  if (PlaceOf(captured) == PlaceOf(current)) return {current, true};
  return {captured, false};
}

}  // namespace sidecar
