// The objects beside a server's workload: ServiceAccount, Service and, by option, NetworkPolicy,
// PodDisruptionBudget and PodMonitor.
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
  Json spec = {{"type", "ClusterIP"},
               {"ipFamilyPolicy", kServiceFamilies},
               {"selector", {{kServerLabel, blueprint.server.name}}},
               {"ports",
                {{{"name", "memory"},
                  {"port", kMemoryPort},
                  {"targetPort", "memory"},
                  {"protocol", "TCP"},
                  {"appProtocol", "http"}}}}};
  // The only server must be reachable while it is not ready (full volume, damaged file): it still
  // answers reads and deletes, and deletes free space. Of equal replicas those that are ready
  // answer; the API server stores no false.
  if (!blueprint.server.postgres) spec["publishNotReadyAddresses"] = true;
  return Json{{"spec", spec}};
}

Json PodsWith(const char* label) {
  return {{"namespaceSelector", Json::object()},
          {"podSelector", {{"matchExpressions", {{{"key", label}, {"operator", "Exists"}}}}}}};
}

Json TcpPort(int number) { return {{"port", number}, {"protocol", "TCP"}}; }

// The port of http://host:4318/…, else the default of the scheme.
int PortOf(const std::string& url) {
  const size_t host = url.find("://");
  const size_t from = host == std::string::npos ? 0 : host + 3;
  // Skips an IPv6 address in brackets, and a user with a password.
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
  const Json dns = {{"port", 53}, {"protocol", "UDP"}};
  if (blueprint.server.postgres) {
    Json ports = {dns, TcpPort(53)};
    for (const int port : blueprint.server.postgres_ports) ports.push_back(TcpPort(port));
    rules.push_back({{"ports", ports}});
  }
  if (blueprint.otlp_endpoint.empty()) return rules;
  rules.push_back({{"ports", {TcpPort(PortOf(blueprint.otlp_endpoint)), dns, TcpPort(53)}}});
  return rules;
}

// Limits the API port to pods of Agents, in addition to the server's own authentication.
std::optional<Json> NetworkPolicyOf(const ServerBlueprint& blueprint) {
  if (!blueprint.server.network_policy) return std::nullopt;
  return Json{{"spec",
               {{"podSelector", SelectorOf(blueprint)},
                {"policyTypes", {"Ingress", "Egress"}},
                {"ingress",
                 {{{"ports", {TcpPort(kMemoryPort)}},
                   {"from", {PodsWith(kAgentLabel), PodsWith(kMemoryLabel)}}},
                  // For probes, metrics and the operator; this port serves no memories.
                  {{"ports", {TcpPort(kServerAdminPort)}}}}},
                {"egress", EgressOf(blueprint)}}}};
}

// With one pod a budget can only forbid every eviction: a drain then waits for a person. Of several
// one leaves at a time.
std::optional<Json> DisruptionBudgetOf(const ServerBlueprint& blueprint) {
  const api::MemoryServer& server = blueprint.server;
  if (server.evictable && server.replicas < 2) return std::nullopt;
  return Json{{"spec",
               {{"maxUnavailable", server.evictable ? 1 : 0},
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

struct ServerChildKind {
  const kube::Resource& (*resource)();
  std::optional<Json> (*build)(const ServerBlueprint&);  // nullopt: the server has no such child
};

constexpr ServerChildKind kKinds[] = {
    {kube::ServiceAccounts, AccountOf},
    {kube::Services, PlainServiceOf},
    {kube::NetworkPolicies, NetworkPolicyOf},
    {kube::PodDisruptionBudgets, DisruptionBudgetOf},
    {PodMonitors, PodMonitorOf},
    {kube::StatefulSets, ServerStatefulSetOf},
    {Deployments, ServerDeploymentOf},
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
