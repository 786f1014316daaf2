// Known words of Events, and counts of the Deployment.
#include "operator/memory_server/store_status.h"

#include "operator/names/kinds.h"
#include "operator/names/names.h"
#include "operator/pods/remedy.h"

namespace controller {
namespace {

using base::Json;
using kube::Condition;
using kube::Truth;

int64_t Count(const Json& deployment, const char* field) {
  const Json* count = base::At(deployment, {"status", field});
  return count && count->is_number_integer() ? count->get<int64_t>() : 0;
}

// What the kubelet says of a mount: `secret "x" not found`, `references non-existent secret key:
// y`.
std::optional<Condition> MissingSecret(const ObservedServer& observed,
                                       const api::MemoryServer& server, const std::string& secret,
                                       const std::string& key, const std::string& field) {
  const std::string where = "Secret " + server.name_space + "/" + secret;
  const auto no = [](const char* reason, const std::string& what) {
    return Condition{"StoreReady", Truth::kFalse, reason, what};
  };
  for (const Cause& cause : observed.causes) {
    const auto has = [&](const std::string& words) {
      return cause.message.find(words) != std::string::npos;
    };
    if (has("secret \"" + secret + "\" not found"))
      return no("SecretNotFound",
                where + " does not exist: create it with key " + key + ", or correct " + field);
    if (has("non-existent secret key: " + key))
      return no("SecretKeyNotFound",
                where + " has no key " + key + ": add it, or correct " + field);
  }
  return std::nullopt;
}

std::string Promise(const ServerFindings& f, const ObservedServer& observed) {
  std::string words =
      "PostgreSQL, by key " + f.server.postgres->key + " of Secret " + f.server.postgres->secret;
  words += f.server.postgres->require_sync
               ? "; what is acknowledged is on a synchronous standby, too"
               : "; requireSync is false: a failover may lose what no standby had yet";
  if (f.stateful_set || observed.claim)
    words += "; claim " + ClaimName(f.server.name) + " keeps what SQLite had";
  return words;
}

}  // namespace

bool IsSeen(const Json& workload) {
  const Json* seen = base::At(workload, {"status", "observedGeneration"});
  return seen && seen->is_number_integer() && seen->get<int64_t>() >= kube::GenerationOf(workload);
}

bool IsOfStore(const Json& pod, const ServerFindings& findings) {
  const kube::Owner owner = kube::ControllerOf(pod);
  return findings.server.postgres ? owner.kind == ReplicaSets().kind
                                  : owner.uid == kube::UidOf(*findings.workload);
}

Condition StoreReady(const ObservedServer& observed, const ServerFindings& findings, int ready) {
  const api::MemoryServer& server = findings.server;
  if (!server.postgres) return {"StoreReady", Truth::kTrue, "Ready", "SQLite"};
  const api::PostgresStore& postgres = *server.postgres;
  if (auto missing = MissingSecret(observed, server, postgres.secret, postgres.key,
                                   "spec.store.postgres.secretRef and key"))
    return *std::move(missing);
  if (!postgres.ca_secret.empty())
    if (auto missing = MissingSecret(observed, server, postgres.ca_secret, postgres.ca_key,
                                     "spec.store.postgres.caSecretRef"))
      return *std::move(missing);
  if (observed.report && !observed.report->error.empty() && ready == 0)
    return {"StoreReady", Truth::kFalse, "ServerNotReady",
            "the server says: " + observed.report->error};
  if (ready == 0)
    return {"StoreReady", Truth::kUnknown, "Progressing", "no replica has reached it yet"};
  return {"StoreReady", Truth::kTrue, "Ready", Promise(findings, observed)};
}

Condition ReplicasUpToDate(const Json& deployment, const std::string& image) {
  const int64_t wanted = base::At(deployment, {"spec", "replicas"})->get<int64_t>(),
                updated = Count(deployment, "updatedReplicas"), all = Count(deployment, "replicas");
  if (updated < wanted || all > updated)
    return {"UpToDate", Truth::kFalse, "Progressing",
            std::to_string(updated) + " of " + std::to_string(wanted) +
                " replicas are as specified, and " + std::to_string(all - updated) +
                " are of an earlier template"};
  return {"UpToDate", Truth::kTrue, "Current",
          std::to_string(updated) + " of " + std::to_string(wanted) +
              " replicas are as specified, of image " + image};
}

std::optional<Condition> ReplicaFailure(const ServerFindings& findings) {
  const Json* conditions = findings.server.postgres && findings.deployment
                               ? base::At(*findings.deployment, {"status", "conditions"})
                               : nullptr;
  const auto failure =
      conditions ? kube::FindCondition(*conditions, "ReplicaFailure") : std::nullopt;
  if (!failure || failure->status != Truth::kTrue) return std::nullopt;
  return Condition{"Ready", Truth::kFalse, failure->reason,
                   "Deployment " + ServerObjectName(findings.server.name) + ": " +
                       failure->message + RemedyFor(failure->message)};
}

std::string ReplicasReady(const ServerFindings& findings, int ready) {
  return std::to_string(ready) + " of " + std::to_string(findings.server.replicas) +
         " replicas are ready";
}

}  // namespace controller
