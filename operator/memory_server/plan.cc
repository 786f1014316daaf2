// MakeServerPlan in order: classify store and volume, build and compare the objects, remove
// disabled ones, write the status.
#include "operator/memory_server/plan.h"

#include <algorithm>
#include <set>

#include "lib/base/process/clock.h"
#include "lib/kube/object/apply.h"
#include "operator/memory_server/status.h"
#include "operator/names/kinds.h"
#include "operator/names/names.h"
#include "operator/objects/server_objects.h"
#include "operator/pods/causes.h"
#include "operator/pods/remedy.h"

namespace controller {
namespace {

using base::Json;

constexpr int64_t kLookMs = 60'000, kLookSoonMs = 2'000, kLookLaterMs = 15'000,
                  kSoonForMs = 120'000;

struct ServerDraft {
  const ObservedServer& observed;
  const Settings& settings;
  ServerFindings findings;
  Plan plan;
};

bool IsOurs(const ServerDraft& draft, const Json& object) {
  const std::string& uid = draft.findings.server.uid;
  return !uid.empty() && kube::ControllerOf(object).uid == uid;
}

const Json* Workload(const ServerDraft& draft, const kube::Resource& resource) {
  auto found =
      draft.observed.children.find({resource.kind, ServerObjectName(draft.findings.server.name)});
  const bool ours = found != draft.observed.children.end() && IsOurs(draft, found->second);
  return ours ? &found->second : nullptr;
}

// The claim belongs to the StatefulSet of this name, which may be another owner's (Agent).
bool IsClaimTheirs(const ServerDraft& draft) {
  return !draft.findings.stateful_set &&
         draft.observed.children.contains(
             {kube::StatefulSets().kind, ServerObjectName(draft.findings.server.name)});
}

bool HasPods(const ServerDraft& draft, const Json* workload, const kube::Resource& of_pods) {
  return workload &&
         std::any_of(draft.observed.pods.begin(), draft.observed.pods.end(),
                     [&](const Json& pod) { return kube::ControllerOf(pod).kind == of_pods.kind; });
}

// A change of the store moves no rows: nothing is touched until a person says so. Then the one
// store's pods end before the other's begin, so that no write is acknowledged that nobody finds.
void ClassifyStore(ServerDraft& draft) {
  ServerFindings& f = draft.findings;
  const std::string name = ServerObjectName(f.server.name), claim = ClaimName(f.server.name);
  f.stateful_set = Workload(draft, kube::StatefulSets());
  f.deployment = Workload(draft, Deployments());
  f.workload = f.server.postgres ? f.deployment : f.stateful_set;
  const bool left_volume = draft.observed.claim && !IsClaimTheirs(draft);
  const std::string how =
      ", and a change of spec.store moves none. Copy them by agent-memory-server migrate "
      "(docs/operations/postgres.md), or do without them; then set spec.store.allowChange: true";
  if (f.server.postgres && !f.server.allow_store_change && (f.stateful_set || left_volume))
    f.rows_stay = "the memories of this server are in SQLite on claim " + claim + how;
  if (!f.server.postgres && !f.server.allow_store_change && f.deployment)
    f.rows_stay = "the memories of this server are in PostgreSQL" + how;
  if (f.server.postgres && !f.deployment && HasPods(draft, f.stateful_set, kube::StatefulSets()))
    f.other_ends = "pod " + name + "-0 with SQLite is ending";
  const bool was_postgres =
      base::StringAt(draft.observed.server, {"status", "store"}) == kPostgresStore;
  if (!f.server.postgres && (f.deployment || (draft.observed.replicas_end && was_postgres)))
    f.other_ends = "the replicas with PostgreSQL are ending";
}

void AnnotateClaim(ServerDraft& draft) {
  if (draft.findings.server.postgres || IsClaimTheirs(draft)) return;
  const Json& server = draft.observed.server;
  draft.findings.claim = ClassifyClaim(draft.observed.claim, server, draft.findings.stateful_set,
                                       draft.findings.server.storage.adopt);
  if (!draft.findings.claim.mark) return;
  const Json& claim = *draft.observed.claim;
  draft.plan.patch.push_back(
      {kube::PersistentVolumeClaims(), kube::KeyOf(claim), ClaimMark(claim, server)});
}

ServerBlueprint BlueprintOf(const ServerDraft& draft) {
  ServerBlueprint blueprint;
  blueprint.server = draft.findings.server;
  if (!blueprint.server.uid.empty())
    blueprint.owner = kube::ControllerReference(draft.observed.server);
  blueprint.image = draft.findings.image;
  blueprint.otlp_endpoint = draft.settings.otlp_endpoint;
  blueprint.cluster_domain = draft.settings.cluster_domain;
  const ServerFindings& f = draft.findings;
  // A StatefulSet without pods keeps the volume, and what becomes of it with the MemoryServer.
  if (f.storage_differs) blueprint.workload = f.stateful_set;
  const bool waits = !f.other_ends.empty();
  if (f.server.postgres || waits)
    blueprint.stateful_set = f.stateful_set ? std::optional<int>(0) : std::nullopt;
  blueprint.deployment = f.server.postgres && !waits;
  return blueprint;
}

void NoteRefusal(ServerDraft& draft, const Child& child, const std::string& words) {
  if (child.may_be_unserved)
    draft.findings.monitor_unserved = true;
  else
    draft.findings.refused = child.resource.kind + " " + kube::KeyOf(child.object).name + ": " +
                             words + RemedyFor(words);
}

// Plans one desired child: no change, an apply, or a finding that prevents it.
void Compare(ServerDraft& draft, Child child) {
  const bool workload = child.resource == kube::StatefulSets() || child.resource == Deployments();
  if (workload && draft.findings.claim.state == ClaimState::kLeftover) return;
  child.object = kube::WithIntent(std::move(child.object), kIntentAnnotation);
  const std::string name = kube::KeyOf(child.object).name;
  auto refused = draft.observed.refused.find(kube::AnnotationOf(child.object, kIntentAnnotation));
  if (refused != draft.observed.refused.end()) return NoteRefusal(draft, child, refused->second);
  auto found = draft.observed.children.find({child.resource.kind, name});
  if (found != draft.observed.children.end()) {
    if (!IsOurs(draft, found->second)) {
      draft.findings.taken_names.push_back(child.resource.kind + " " + name);
      return;
    }
    if (kube::IsUpToDate(found->second, child.object, kIntentAnnotation)) return;
    child.object["metadata"]["uid"] = kube::UidOf(found->second);
  }
  draft.findings.changing |= workload;
  draft.plan.apply.push_back(std::move(child));
}

void CompareChildren(ServerDraft& draft) {
  std::set<std::string> wanted;
  for (Child& child : DesiredOfServer(BlueprintOf(draft))) {
    wanted.insert(child.resource.kind);
    Compare(draft, std::move(child));
  }
  for (const kube::Resource& resource : ServerChildResources()) {
    auto found =
        draft.observed.children.find({resource.kind, ServerObjectName(draft.findings.server.name)});
    if (wanted.contains(resource.kind) || found == draft.observed.children.end() ||
        !IsOurs(draft, found->second) || kube::IsBeingDeleted(found->second))
      continue;
    draft.plan.remove.push_back({resource, kube::KeyOf(found->second), kube::UidOf(found->second)});
  }
}

// The objects are polled and not watched (ADR 28): more often while the server is not ready.
int64_t LookAgainMs(const Json& status, int64_t now_ms) {
  for (const Json& condition : status["conditions"]) {
    if (condition["type"] != "Ready" || condition["status"] == "True") continue;
    auto since = base::ParseTime(base::StringAt(condition, {"lastTransitionTime"}));
    return since && now_ms - *since < kSoonForMs ? kLookSoonMs : kLookLaterMs;
  }
  return kLookMs;
}

Plan Say(ServerDraft& draft, Json status, int64_t now_ms) {
  // The watched EndpointSlice reports when the server gets ready.
  draft.plan.requeue_after_ms = draft.observed.no_answer ? kLookMs : LookAgainMs(status, now_ms);
  const Json* stored = base::At(draft.observed.server, {"status"});
  if (stored && *stored == status) return std::move(draft.plan);
  draft.plan.events = NoticesOf(stored ? *stored : Json(), status);
  // ByKeys is a property of the cluster's setup, no event.
  std::erase_if(draft.plan.events, [](const Notice& notice) { return notice.reason == "ByKeys"; });
  draft.plan.status = std::move(status);
  return std::move(draft.plan);
}

}  // namespace

Plan MakeServerPlan(const ObservedServer& observed, const Settings& settings, int64_t now_ms) {
  if (kube::IsBeingDeleted(observed.server)) return {};
  ServerDraft draft{observed, settings, {}, {}};
  auto server = api::DecodeMemoryServer(observed.server);
  if (!server)
    return Say(draft,
               BrokenStatus(observed.server, "InvalidMemoryServer", server.error().message, now_ms),
               now_ms);
  draft.findings.server = *std::move(server);
  draft.findings.image =
      draft.findings.server.image.empty() ? settings.server_image : draft.findings.server.image;
  ClassifyStore(draft);
  draft.findings.storage_differs =
      StorageDiffers(draft.findings.stateful_set, draft.findings.server.storage);
  AnnotateClaim(draft);
  if (draft.findings.rows_stay.empty()) CompareChildren(draft);
  const std::optional<Json> claim = draft.findings.server.postgres ? std::nullopt : observed.claim;
  draft.plan.suspects =
      SuspicionOf(observed.server, draft.findings.workload, observed.pods, claim, now_ms).suspects;
  return Say(draft, ServerStatusOf(observed, draft.findings, settings.cluster_domain, now_ms),
             now_ms);
}

}  // namespace controller
