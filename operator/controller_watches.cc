// What the operator watches, what it keeps of it, and which keys a change brings back.
#include "operator/controller.h"
#include "operator/names/kinds.h"
#include "operator/names/names.h"
#include "operator/pods/node_skew.h"

namespace controller {
namespace {

using base::Json;
using kube::Change;
using kube::ObjectKey;

ObjectKey RunKey(const ObjectKey& key) { return {key.name_space, kRunKey + key.name}; }

ObjectKey ServerKey(const ObjectKey& key) { return {key.name_space, kServerKey + key.name}; }

// Of its Service; slices have the labels of their Service.
std::vector<ObjectKey> ToServer(const Change& change) {
  const std::string server = kube::LabelOf(change.object, kServerLabel);
  return server.empty() ? std::vector<ObjectKey>{}
                        : std::vector{ServerKey({change.key.name_space, server})};
}

std::vector<ObjectKey> ToRun(const Change& change) {
  const std::string run = kube::LabelOf(change.object, kRunLabel);
  return run.empty() ? std::vector<ObjectKey>{} : std::vector{RunKey({change.key.name_space, run})};
}

// What an ended run was asked to do is of no use any more.
void PruneRun(Json& run) {
  kube::DropManagedFields(run);
  if (!HasEnded(run) || !run.contains("spec") || !run["spec"].is_object()) return;
  for (const char* field : {"prompt", "args", "env"}) run["spec"].erase(field);
}

// Of a Job, which never changes: how it goes, and which of its containers is the agent.
void PruneJob(Json& job) {
  kube::DropManagedFields(job);
  const Json* containers = base::At(job, {"spec", "template", "spec", "containers"});
  Json agent = Json::object();
  if (containers && containers->is_array() && !containers->empty())
    agent["name"] = base::StringAt(containers->front(), {"name"});
  job["spec"] = {{"template", {{"spec", {{"containers", Json::array({agent})}}}}}};
}

// A pod is kept as what StateOf and the plan read of it.
void PrunePod(Json& pod) {
  kube::DropManagedFields(pod);
  Json init_containers = Json::array();
  if (const Json* list = base::At(pod, {"spec", "initContainers"}); list && list->is_array())
    for (const Json& container : *list)
      init_containers.push_back({{"name", container.value("name", "")},
                                 {"image", container.value("image", "")},
                                 {"resources", container.value("resources", Json::object())}});
  pod["spec"] = {{"initContainers", init_containers}};
}

// Of its status, whether its controller has seen what is applied.
void PruneWorkload(Json& workload) {
  kube::DropManagedFields(workload);
  const Json* seen = base::At(workload, {"status", "observedGeneration"});
  workload["status"] = {{"observedGeneration", seen ? *seen : Json(0)}};
}

void PruneStatus(Json& object) {
  kube::DropManagedFields(object);
  object.erase("status");
}

// Of an EndpointSlice, which may hold a hundred addresses: who is behind it and ready.
void PruneSlice(Json& slice) {
  kube::DropManagedFields(slice);
  Json* endpoints = slice.contains("endpoints") ? &slice["endpoints"] : nullptr;
  if (!endpoints || !endpoints->is_array()) return;
  for (Json& endpoint : *endpoints)
    for (const char* field : {"deprecatedTopology", "hints", "nodeName", "zone"})
      if (endpoint.is_object()) endpoint.erase(field);
}

}  // namespace

kube::ObjectStore& Controller::Watch(const kube::Resource& resource, kube::MapToKeys map,
                                     kube::Prune prune, const std::string& label,
                                     const std::string& selector, bool may_be_denied) {
  kube::WatchPlan plan;
  plan.reflect.resource = resource;
  plan.reflect.streams_lists = true;
  plan.reflect.selection.label_selector = selector;
  plan.map = std::move(map);
  plan.prune = std::move(prune);
  plan.label = label;
  plan.may_be_denied = may_be_denied;
  plan.name_spaces = options_.name_spaces;
  kube::ObjectStore& store = loop_.Watch(std::move(plan));
  stores_.try_emplace(resource.kind, &store);
  return store;
}

void Controller::WatchAgents() {
  auto to_agent = kube::ToLabel(kAgentLabel);
  auto to_dependents = [this](const Change& change) { return dependents_.Of(change.key); };
  Watch(
      Agents(),
      [this](const Change& change) {
        auto keys = runs_.Of(change.key);
        keys.push_back(change.key);
        return keys;
      },
      kube::DropManagedFields);
  Watch(
      kube::Services(),
      [=](const Change& change) {
        auto keys = to_dependents(change);
        for (const ObjectKey& key : to_agent(change)) keys.push_back(key);
        for (const ObjectKey& key : ToServer(change)) keys.push_back(key);
        return keys;
      },
      PruneStatus, kAgentLabel);
  Watch(
      kube::EndpointSlices(),
      [this](const Change& change) {
        auto keys = dependents_.Of(
            {change.key.name_space, kube::LabelOf(change.object, kServiceNameLabel)});
        for (const ObjectKey& key : ToServer(change)) keys.push_back(key);
        return keys;
      },
      PruneSlice, kServiceNameLabel);
  Watch(AgentTools(), to_dependents, PruneStatus);
  Watch(
      MemoryServers(),
      [=](const Change& change) {
        auto keys = to_dependents(change);
        keys.push_back(ServerKey(change.key));
        return keys;
      },
      kube::DropManagedFields);
  const auto to_agent_and_run = [=](const Change& change) {
    auto keys = to_agent(change);
    for (const ObjectKey& key : ToRun(change)) keys.push_back(key);
    return keys;
  };
  Watch(kube::ServiceAccounts(), to_agent, PruneStatus, kAgentLabel, kAgentLabel);
  Watch(kube::ConfigMaps(), to_agent_and_run, PruneStatus, kAgentLabel, kAgentLabel);
  Watch(kube::StatefulSets(), to_agent, PruneWorkload, kAgentLabel, kAgentLabel);
  // Pods of runs have a watch of their own: an Agent may have had thousands, and has no use for
  // them.
  Watch(kube::Pods(), to_agent, PrunePod, kAgentLabel, std::string(kAgentLabel) + ",!" + kRunLabel);
  Watch(kube::PersistentVolumeClaims(), to_agent_and_run, kube::DropManagedFields, kAgentLabel,
        kAgentLabel);
}

void Controller::WatchForeignPods() {
  foreign_pods_ = &Watch(kube::Pods(), kube::ToLabel(kMemoryLabel), PruneForeignPod, kMemoryLabel,
                         kMemoryLabel);
  if (options_.settings.foreign_pods.policy.empty()) return;
  Watch(
      InjectionBindings(),
      [](const Change& change) { return std::vector{AgentOfBinding(change.object)}; },
      kube::DropManagedFields, kAgentLabel, kAgentLabel);
}

// A kubelet reports every few minutes; Agents are looked at again only when one of those with a
// fault came, went, or may be used by others than before.
void Controller::WatchNodes() {
  Watch(
      kube::Nodes(),
      [this](const Change& change) -> std::vector<ObjectKey> {
        Json node = change.object;
        node["metadata"].erase("resourceVersion");
        const bool faulty = change.type != Change::Type::kDeleted && node.contains("status");
        const bool news = faulty_nodes_.With([&](auto& nodes) {
          if (!faulty) return nodes.erase(change.key) > 0;
          Json& known = nodes[change.key];
          const bool differs = known != node;
          known = std::move(node);
          return differs;
        });
        // The first lists bring every Agent anyhow.
        return news && loop_.synced() ? stores_["Agent"]->Keys() : std::vector<ObjectKey>();
      },
      PruneNode, "", "", /*may_be_denied=*/true);
}

void Controller::WatchRuns() {
  Watch(
      AgentRuns(), [](const Change& change) { return std::vector{RunKey(change.key)}; }, PruneRun);
  Watch(kube::Jobs(), ToRun, PruneJob, kRunLabel, kRunLabel);
  run_pods_ = &Watch(kube::Pods(), ToRun, PrunePod, kRunLabel, kRunLabel);
}

}  // namespace controller
