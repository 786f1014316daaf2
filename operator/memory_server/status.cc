// Facts (of the server's report, else of the last one), then a function for each condition; Ready
// depends on others and is the first of the list.
#include "operator/memory_server/status.h"

#include <algorithm>
#include <cstdlib>

#include "lib/base/text/text.h"
#include "operator/memory_server/store_status.h"
#include "operator/names/names.h"
#include "operator/pods/injection.h"
#include "operator/pods/state.h"

namespace controller {
namespace {

using base::Json;
using kube::Condition;
using kube::Truth;

// Rows and bytes change all the time: the status follows changes of more than a twentieth.
constexpr int64_t kShare = 20, kFewBytes = 1 << 20;

struct ServerView {
  const ObservedServer& observed;
  const ServerFindings& findings;
  const Json* pod =
      nullptr;     // of the workload, not being deleted, rather an unready one; null: none
  PodState state;  // of that pod
  bool of_older_template = false;
  int ready = 0;  // pods
};

std::string StoredText(const ServerView& view, const char* field) {
  return base::StringAt(view.observed.server, {"status", field});
}

ServerView ViewOf(const ObservedServer& observed, const ServerFindings& findings) {
  ServerView view{observed, findings, nullptr, {}, false, 0};
  if (!findings.workload) return view;
  for (const Json& pod : observed.pods) {
    if (!IsOfStore(pod, findings) || kube::IsBeingDeleted(pod)) continue;
    PodState state = StateOf(pod);
    view.ready += state.ready;
    const bool fails = !state.ready && state.reason != "Progressing";
    if (view.pod && !view.state.ready && !(fails && view.state.reason == "Progressing")) continue;
    view.pod = &pod;
    view.state = std::move(state);
  }
  if (!view.pod || findings.server.postgres) return view;
  const std::string wanted = base::StringAt(*findings.workload, {"status", "updateRevision"});
  view.of_older_template =
      !wanted.empty() && kube::LabelOf(*view.pod, "controller-revision-hash") != wanted;
  return view;
}

std::string ImageOf(const Json& pod) {
  const Json* spec = base::At(pod, {"spec"});
  const Json* container = spec ? FindNamed(*spec, "containers", kServerContainer) : nullptr;
  return container ? base::StringAt(*container, {"image"}) : "";
}

// Whether the server exited, now or before its restart, because a newer version wrote the files.
bool RefusedSchema(const ServerView& view) {
  if (!view.pod || view.state.ready) return false;
  const Json* status = base::At(*view.pod, {"status"});
  const Json* container =
      status ? FindNamed(*status, "containerStatuses", kServerContainer) : nullptr;
  if (!container) return false;
  for (const char* when : {"state", "lastState"}) {
    const Json* code = base::At(*container, {when, "terminated", "exitCode"});
    if (code && *code == api::kNewerSchemaExitCode) return true;
  }
  return false;
}

// ---- facts ----

int64_t Settled(const ServerView& view, const char* field, int64_t now, int64_t few) {
  const Json* stored = base::At(view.observed.server, {"status", field});
  if (!stored || !stored->is_number_integer()) return now;
  const auto then = stored->get<int64_t>();
  return std::llabs(now - then) > std::max(then, few) / kShare ? now : then;
}

void TakeFacts(const ServerView& view, Json& status) {
  const ServerFindings& f = view.findings;
  status["replicas"] = f.server.replicas;
  status["readyReplicas"] = view.ready;
  status["selector"] = std::string(kServerLabel) + "=" + f.server.name;
  // The store that has the rows: the other one after the last pod of this one.
  const std::string before = StoredText(view, "store");
  const bool stays = !f.rows_stay.empty() || !f.other_ends.empty();
  status["store"] = stays && !before.empty()            ? before
                    : f.server.postgres != std::nullopt ? kPostgresStore
                                                        : kSqliteStore;
  for (const char* known : {"version", "image", "schema", "rows", "bytes", "lastError"})
    if (const Json* value = base::At(view.observed.server, {"status", known}))
      status[known] = *value;
  if (const auto& report = view.observed.report) {
    status["version"] = report->version;
    status["schema"] = report->schema;
    status["rows"] = Settled(view, "rows", report->rows, 0);
    status["bytes"] = Settled(view, "bytes", report->bytes, kFewBytes);
    if (!report->error.empty()) status["lastError"] = report->error;
    if (view.pod && view.state.ready) status["image"] = ImageOf(*view.pod);
  }
  if (view.pod && !view.state.ready && !view.observed.report && view.state.reason != "Progressing")
    status["lastError"] = view.state.message;
}

// ---- conditions ----

Condition StalledCondition(const ServerView& view) {
  const ServerFindings& f = view.findings;
  const std::string name = "memoryserver -n " + f.server.name_space + " " + f.server.name;
  auto yes = [](const char* reason, std::string message) {
    return Condition{"Stalled", Truth::kTrue, reason, std::move(message)};
  };
  if (!f.taken_names.empty())
    return yes("NameTaken",
               "not made by this MemoryServer and left alone: " + base::Join(f.taken_names, ", ") +
                   "; rename the MemoryServer, or delete the object of that name");
  if (f.claim.state == ClaimState::kLeftover)
    return yes("VolumeNotAdopted", "an earlier server's volume is in the way, see VolumeReady");
  if (!f.rows_stay.empty()) return yes("StoreNotMigrated", f.rows_stay);
  if (!f.refused.empty()) return yes("Refused", "the API server refused: " + f.refused);
  if (!RefusedSchema(view))
    return {"Stalled", Truth::kFalse, "Progressing", "nothing needs a person"};
  // Suggests the recorded image only if it differs from the failing one, whose tag may have moved;
  // a version that ran without a report is not recorded.
  const std::string noted = StoredText(view, "image"),
                    worked = noted == ImageOf(*view.pod) ? "" : noted;
  const Json* schema = base::At(view.observed.server, {"status", "schema"});
  return yes("NewerSchema",
             "image " + ImageOf(*view.pod) + " is older than what wrote the " +
                 (f.server.postgres ? "database" : "volume") +
                 " and does not start on it; nothing was "
                 "changed or lost" +
                 (worked.empty()
                      ? ". Set spec.image to the version that ran before"
                      : ". Go back to what ran before" +
                            (schema ? " (schema " + base::DumpJson(*schema) + ")" : std::string()) +
                            ": kubectl patch " + name +
                            " --type merge -p '{\"spec\":{\"image\":\"" + worked + "\"}}'"));
}

Condition DegradedCondition(const ServerView& view) {
  const ServerFindings& f = view.findings;
  std::vector<std::string> reasons, messages;
  auto add = [&](const char* reason, const std::string& message) {
    reasons.push_back(reason);
    messages.push_back(message);
  };
  if (!view.observed.conflicts.empty())
    add("FieldConflict", base::Join(view.observed.conflicts, "; ") +
                             ": another controller applies the same fields and keeps them; let it "
                             "leave them out");
  if (view.observed.report && !view.observed.report->error.empty())
    add("ServerNotReady", "the server says: " + view.observed.report->error);
  if (!view.observed.report_fault.empty())
    add("ServerNotAnswering", "pod " + view.state.name + " runs and its port " +
                                  std::to_string(kServerAdminPort) +
                                  " gives the operator no report (" + view.observed.report_fault +
                                  "): version, rows and bytes are those of the last report");
  if (f.storage_differs && !f.server.postgres)
    add("StorageNotChanged",
        "spec.storage differs from the claim, which this version does not change");
  if (f.monitor_unserved)
    add("PodMonitorNotServed",
        "the cluster has no PodMonitors (monitoring.coreos.com/v1): install the Prometheus "
        "operator, or leave out spec.podMonitor");
  if (!f.server.project_grants.empty())
    add("NotYetServed", "accepted, and not served by this version: projectGrants");
  if (reasons.empty()) return {"Degraded", Truth::kFalse, "AsSpecified", "nothing is missing"};
  return {"Degraded", Truth::kTrue, reasons.front(), base::Join(messages, "; ")};
}

Condition UpToDateCondition(const ServerView& view) {
  const Json* workload = view.findings.workload;
  if (!view.findings.other_ends.empty())
    return {"UpToDate", Truth::kFalse, "Progressing", view.findings.other_ends};
  if (!workload || view.findings.changing || !IsSeen(*workload))
    return {"UpToDate", Truth::kFalse, "Progressing", "its workload is being made or changed"};
  if (!view.pod) return {"UpToDate", Truth::kUnknown, "NoPods", "there is no pod"};
  if (view.findings.server.postgres) return ReplicasUpToDate(*workload, ImageOf(*view.pod));
  if (view.of_older_template)
    return {"UpToDate", Truth::kFalse, "Progressing",
            "pod " + view.state.name + " is of an earlier template and is being replaced"};
  return {"UpToDate", Truth::kTrue, "Current",
          "pod " + view.state.name + " is as specified, of image " + ImageOf(*view.pod)};
}

Condition TokensCondition(const ServerView& view) {
  if (!view.observed.report)
    return {"TokensReviewed", Truth::kUnknown, "NotAnswering",
            "no server reports how it checks tokens"};
  if (!view.observed.report->by_keys)
    return {"TokensReviewed", Truth::kTrue, "Reviewed",
            "the API server reviews tokens, or no token was presented yet"};
  const std::string account =
      view.findings.server.name_space + ":" + ServerObjectName(view.findings.server.name);
  return {"TokensReviewed", Truth::kFalse, "ByKeys",
          "tokens are checked by the cluster's published keys: one of a deleted pod stays good "
          "until it expires, an hour at most. To have each reviewed: kubectl create "
          "clusterrolebinding memory-" +
              view.findings.server.name_space + "-" + view.findings.server.name +
              " --clusterrole=system:auth-delegator --serviceaccount=" + account};
}

Condition ReadyCondition(const ServerView& view, const Condition& stalled, const Condition& store,
                         const Condition& up_to_date) {
  auto no = [](const Condition& why) {
    return Condition{"Ready", Truth::kFalse, why.reason, why.message};
  };
  if (stalled.status == Truth::kTrue) return no(stalled);
  if (store.status == Truth::kFalse) return no(store);
  // The old pod is still ready before the StatefulSet controller acts on a changed template.
  const std::vector<Cause>& causes = view.observed.causes;
  if (view.pod && !view.state.ready && (view.state.reason != "Progressing" || !causes.empty()))
    return NotReady(view.state.reason, view.state.message, causes);
  if (auto failure = ReplicaFailure(view.findings)) return *std::move(failure);
  if (up_to_date.status == Truth::kFalse) return no(up_to_date);
  if (view.findings.server.postgres && view.ready < view.findings.server.replicas)
    return NotReady("Progressing", ReplicasReady(view.findings, view.ready), causes);
  if (!view.pod)
    return NotReady("Progressing",
                    "pod " + ServerObjectName(view.findings.server.name) + "-0 is not there yet",
                    causes);
  if (!view.state.ready) return NotReady(view.state.reason, view.state.message, causes);
  return {"Ready", Truth::kTrue, "Ready",
          view.findings.server.postgres ? ReplicasReady(view.findings, view.ready)
                                        : "pod " + view.state.name + " is ready"};
}

}  // namespace

base::Json ServerStatusOf(const ObservedServer& observed, const ServerFindings& findings,
                          const std::string& cluster_domain, int64_t now_ms) {
  const ServerView view = ViewOf(observed, findings);
  const api::MemoryServer& server = findings.server;
  const Condition stalled = StalledCondition(view), up_to_date = UpToDateCondition(view);
  const Condition store = StoreReady(observed, findings, view.ready);
  std::vector<Condition> conditions = {
      ReadyCondition(view, stalled, store, up_to_date), up_to_date,
      server.postgres
          ? store
          : VolumeReady(observed.server, observed.claim, findings.claim, observed.causes)};
  if (server.auth == "kubernetes") conditions.push_back(TokensCondition(view));
  conditions.insert(conditions.end(), {DegradedCondition(view), stalled});

  Json status = {{"observedGeneration", server.generation},
                 {"url", "http://" + ServerObjectName(server.name) + "." + server.name_space +
                             ".svc." + cluster_domain + ":" + std::to_string(kMemoryPort)},
                 {"conditions", ConditionsOf(observed.server, conditions, now_ms)}};
  TakeFacts(view, status);
  return status;
}

}  // namespace controller
