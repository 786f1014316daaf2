// What stands around a server's workload: identity, Service, and by option what keeps others out,
// holds up drains and is scraped.
#include "operator/objects/server_objects.h"

#include <algorithm>

#include "operator/names/kinds.h"
#include "operator/names/names.h"

namespace controller {
namespace {

using base::Json;

Json SelectorOf(const ServerBlueprint& blueprint) {
  return {{"matchLabels", {{kServerLabel, blueprint.server.name}}}};
}

std::optional<Json> AccountOf(const ServerBlueprint&) {
  return Json{{"automountServiceAccountToken", false}};
}

std::optional<Json> PlainServiceOf(const ServerBlueprint& blueprint) {
  return Json{{"spec",
               {{"type", "ClusterIP"},
                {"selector", {{kServerLabel, blueprint.server.name}}},
                // There is one server. When it is not ready (its volume is full, a file is damaged)
                // it still answers reads and deletes, and deletes are what makes room.
                {"publishNotReadyAddresses", true},
                {"ports",
                 {{{"name", "memory"},
                   {"port", kMemoryPort},
                   {"targetPort", "memory"},
                   {"protocol", "TCP"},
                   {"appProtocol", "http"}}}}}}};
}

Json PodsWith(const char* label) {
  return {{"namespaceSelector", Json::object()},
          {"podSelector", {{"matchExpressions", {{{"key", label}, {"operator", "Exists"}}}}}}};
}

Json TcpPort(int number) { return {{"port", number}, {"protocol", "TCP"}}; }

// The port of http://host:4318/…; 0: none is said.
int PortOf(const std::string& url) {
  const size_t host = url.find("://");
  const size_t from = host == std::string::npos ? 0 : host + 3;
  // Behind an address in brackets, and behind a name and a password.
  const size_t slash = url.find('/', from);
  const size_t before = url.substr(0, slash).find_last_of("]@");
  const size_t colon = url.find(':', before == std::string::npos ? from : std::max(from, before));
  if (colon == std::string::npos || colon > slash) return url.starts_with("https") ? 443 : 80;
  return std::atoi(url.c_str() + colon + 1);
}

Json EgressOf(const ServerBlueprint& blueprint) {
  Json api_server = Json::array();
  for (const int port : blueprint.server.api_server_ports) api_server.push_back(TcpPort(port));
  Json rules = Json::array({{{"ports", api_server}}});
  if (blueprint.otlp_endpoint.empty()) return rules;
  const Json dns = {{"port", 53}, {"protocol", "UDP"}};
  rules.push_back({{"ports", {TcpPort(PortOf(blueprint.otlp_endpoint)), dns, TcpPort(53)}}});
  return rules;
}

// The server asks everybody who they are; besides, only pods of Agents reach it.
std::optional<Json> NetworkPolicyOf(const ServerBlueprint& blueprint) {
  if (!blueprint.server.network_policy) return std::nullopt;
  return Json{{"spec",
               {{"podSelector", SelectorOf(blueprint)},
                {"policyTypes", {"Ingress", "Egress"}},
                {"ingress",
                 {{{"ports", {TcpPort(kMemoryPort)}},
                   {"from", {PodsWith(kAgentLabel), PodsWith(kMemoryLabel)}}},
                  // Probes, metrics and the operator; no memories.
                  {{"ports", {TcpPort(kServerAdminPort)}}}}},
                {"egress", EgressOf(blueprint)}}}};
}

// Of one pod a budget can only forbid every eviction: a drain then waits for a person.
std::optional<Json> DisruptionBudgetOf(const ServerBlueprint& blueprint) {
  if (blueprint.server.evictable) return std::nullopt;
  return Json{{"spec",
               {{"maxUnavailable", 0},
                {"unhealthyPodEvictionPolicy", "AlwaysAllow"},
                {"selector", SelectorOf(blueprint)}}}};
}

std::optional<Json> PodMonitorOf(const ServerBlueprint& blueprint) {
  if (!blueprint.server.pod_monitor) return std::nullopt;
  return Json{{"metadata", {{"labels", blueprint.server.pod_monitor_labels}}},
              {"spec",
               {{"selector", SelectorOf(blueprint)},
                {"podMetricsEndpoints", {{{"port", "admin"}, {"path", "/metrics"}}}}}}};
}

std::optional<Json> WorkloadOf(const ServerBlueprint& blueprint) {
  return ServerStatefulSetOf(blueprint);
}

struct ServerChildKind {
  const kube::Resource& (*resource)();
  std::optional<Json> (*build)(const ServerBlueprint&);  // nullopt: this MemoryServer has none
};

constexpr ServerChildKind kKinds[] = {
    {kube::ServiceAccounts, AccountOf},
    {kube::Services, PlainServiceOf},
    {kube::NetworkPolicies, NetworkPolicyOf},
    {kube::PodDisruptionBudgets, DisruptionBudgetOf},
    {PodMonitors, PodMonitorOf},
    {kube::StatefulSets, WorkloadOf},
};

Json WithServerOwnerAndLabels(Json object, const kube::Resource& resource,
                              const ServerBlueprint& blueprint) {
  object["apiVersion"] = resource.ApiVersion();
  object["kind"] = resource.kind;
  Json& metadata = object["metadata"];
  metadata["name"] = ServerObjectName(blueprint.server.name);
  metadata["namespace"] = blueprint.server.name_space;
  metadata["labels"][kServerLabel] = blueprint.server.name;
  metadata["labels"][kManagedByLabel] = kManagedBy;
  if (!blueprint.owner.is_null()) metadata["ownerReferences"] = Json::array({blueprint.owner});
  return object;
}

}  // namespace

std::vector<Child> DesiredOfServer(const ServerBlueprint& blueprint) {
  std::vector<Child> children;
  for (const ServerChildKind& kind : kKinds) {
    const kube::Resource& resource = kind.resource();
    if (auto object = kind.build(blueprint))
      children.push_back({resource,
                          WithServerOwnerAndLabels(std::move(*object), resource, blueprint),
                          resource == PodMonitors()});
  }
  return children;
}

std::vector<kube::Resource> ServerChildResources() {
  std::vector<kube::Resource> resources;
  for (const ServerChildKind& kind : kKinds) resources.push_back(kind.resource());
  return resources;
}

}  // namespace controller
