// The table of statuses. A proxy, a mesh or a wrong Service answers every row with the same
// statuses as a memory server, so only a status that is certainly about the row makes a dead
// letter.
#include "sidecar/upstream/delivery_outcome.h"

#include <algorithm>

#include "lib/api/memory_api.h"
#include "lib/base/json/json.h"
#include "lib/base/text/text.h"

namespace sidecar {
namespace {

using base::Json;
using OutcomeKind = DeliveryOutcome::Kind;

// Backoff doubles up to retry-longest: a minute or two for a fault of the row, a quarter of an hour
// for a likely fault of the network.
constexpr int kRowTries = 10, kWayTries = 30;

// → the namespace and the domain of name.namespace.svc, with or without the cluster's domain; for
// other hosts the host itself.
std::string NamespaceOf(const std::string& url) {
  const size_t scheme = url.find("://");
  std::string host = scheme == std::string::npos ? url : url.substr(scheme + 3);
  host = host.substr(0, host.find('/'));
  if (host.find(']') == std::string::npos) host = host.substr(0, host.find(':'));
  const auto parts = base::Split(host, '.');
  if (parts.size() < 3 || parts[2] != "svc") return host;
  std::string place = parts[1] + ".svc";
  for (size_t i = 3; i < parts.size(); ++i) place += "." + parts[i];
  // The short name of a Service equals its full name in the default cluster domain.
  return place == parts[1] + ".svc.cluster.local" ? parts[1] + ".svc" : place;
}

Json BodyOf(const http::Response& answer) { return base::ParseJson(answer.body).value_or(Json()); }

bool HasErrorText(const Json& body) { return !base::StringAt(body, {"error"}).empty(); }

// True for the 404 of a memory server's handler, by its body; false for the 404 of a router that
// does not know the path.
bool IsUnknownSession(const OutboxRow& row, const Json& body) {
  return row.kind == "session_end" && base::StringAt(body, {"code"}) == "not_found" &&
         HasErrorText(body) && !base::StringAt(body, {"error"}).starts_with("no such resource");
}

// The key of a capture consists of its call and rule without its text, that of a turn excludes its
// settings: with another policy the body differs, but the server has stored the write.
bool IsKeptAlready(const OutboxRow& row, const http::Response& answer) {
  return answer.status == 422 && (row.origin == api::kOriginRule || row.kind == kIngestKind) &&
         base::StringAt(BodyOf(answer), {"code"}) == api::kKeyReused;
}

// The 404 of an older memory server without this route. Waiting would hold up all other writes.
bool IsWithoutIngest(const OutboxRow& row, const Json& body) {
  return row.kind == kIngestKind && base::StringAt(body, {"code"}) == "not_found" &&
         HasErrorText(body);
}

// False for the page of a proxy that answers 200 to every request, which stores nothing.
bool IsReceipt(const OutboxRow& row, const http::Response& answer) {
  if (answer.status == 204) return answer.body.empty();
  const Json body = BodyOf(answer);
  if (row.kind == "observation" || row.kind == "session")
    return body.is_object() && body.contains("id");
  if (row.kind == kIngestKind) return body.is_object() && body.contains("turn");
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
    case 422:  // a proxy's page does not concern the row
      return HasErrorText(BodyOf(answer)) ? DeliveryOutcome{OutcomeKind::kRowFault}
                                          : Fault("not_served", kRowTries, true);
    case 401:  // a rotated token ends the fault
      return Fault("unauthenticated");
    case 403:
      return base::StringAt(BodyOf(answer), {"code"}) == "denied" ? Fault("denied", kRowTries, true)
                                                                  : Fault("denied", kWayTries);
    case 404:
      return IsUnknownSession(row, BodyOf(answer)) || IsWithoutIngest(row, BodyOf(answer))
                 ? DeliveryOutcome{OutcomeKind::kRowFault}
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
  if (IsKeptAlready(row, answer)) return {OutcomeKind::kDelivered};
  if (status < 500) return Classify4xx(row, answer);
  if (status == 502 || status == 503 || status == 504) return Fault("overloaded");
  if (status == 507) return Fault("full");
  return Fault("server_error", kRowTries, true);
}

// Limits the tries, since a row that crashes the server looks the same.
DeliveryOutcome ClassifyNoAnswer() { return Fault("unreachable", kWayTries); }

Destination Redirect(const std::string& captured, const std::string& current) {
  if (captured.empty() || current.empty() || captured == current) {
    return {captured.empty() ? current : captured, true};
  }
  if (NamespaceOf(captured) == NamespaceOf(current)) return {current, true};
  return {captured, false};
}

}  // namespace sidecar
