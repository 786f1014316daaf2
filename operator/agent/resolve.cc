// A reference names a Service of its namespace, else an AgentTool, which names the Service. A
// Service of another namespace must allow the reference.
#include "operator/agent/resolve.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "lib/base/text/text.h"
#include "operator/names/names.h"

namespace controller {
namespace {

using base::Json;

const Json* Find(const Objects& objects, const kube::ObjectKey& key) {
  auto found = objects.find(key);
  return found == objects.end() ? nullptr : &found->second;
}

Resolution No(std::string reason, std::string message) {
  Resolution out;
  out.reason = std::move(reason);
  out.message = std::move(message);
  return out;
}

bool IsGranted(const Json& service, const std::string& name_space) {
  for (const std::string& allowed :
       base::Split(kube::AnnotationOf(service, kAllowedNamespaces), ',')) {
    std::string_view trimmed = base::Trim(allowed);
    if (trimmed == "*" || trimmed == name_space) return true;
  }
  return false;
}

struct Port {
  int number = 0;
  std::string name;
  Json target;  // targetPort: a number, a name, or null
  bool assumed = false;
};

std::vector<Port> PortsOf(const Json& service) {
  std::vector<Port> ports;
  const Json* listed = base::At(service, {"spec", "ports"});
  if (!listed || !listed->is_array()) return ports;
  for (const Json& item : *listed) {
    if (!item.is_object() || !item.contains("port") || !item["port"].is_number_integer()) continue;
    ports.push_back({item["port"].get<int>(), base::StringAt(item, {"name"}),
                     item.value("targetPort", Json())});
  }
  return ports;
}

// The requested port (nullopt: the Service lacks it), else the one called memory, else the only
// one, else 7437.
std::optional<Port> ChoosePort(const std::vector<Port>& ports, int asked) {
  for (const Port& port : ports)
    if (asked != 0 ? port.number == asked : port.name == "memory") return port;
  if (asked != 0 && !ports.empty()) return std::nullopt;
  if (asked != 0) return Port{asked, "", nullptr, false};
  if (ports.size() == 1) return ports.front();
  for (const Port& port : ports)
    if (port.number == kMemoryPort) return port;
  return Port{kMemoryPort, "", nullptr, true};
}

// A headless Service has no proxy: clients dial the pod's own port.
int HeadlessPort(const Port& port, const std::vector<Json>& slices) {
  if (port.target.is_number_integer() && port.target != 0) return port.target.get<int>();
  if (!port.target.is_string()) return port.number;
  for (const Json& slice : slices) {
    if (!slice.contains("ports") || !slice["ports"].is_array()) continue;
    for (const Json& item : slice["ports"]) {
      const Json* number = base::At(item, {"port"});
      if (base::StringAt(item, {"name"}) == port.name && number && number->is_number_integer())
        return number->get<int>();
    }
  }
  return port.number;
}

std::string PortList(const std::vector<Port>& ports) {
  if (ports.empty()) return "no ports";
  std::vector<std::string> words;
  for (const Port& port : ports)
    words.push_back(std::to_string(port.number) +
                    (port.name.empty() ? "" : " (" + port.name + ")"));
  return "the ports " + base::Join(words, ", ");
}

// Resolves port, URL and audience of a known Service.
Resolution OfService(const Json& service, int asked_port, const std::vector<Json>& slices,
                     const std::string& cluster_domain) {
  const kube::ObjectKey key = kube::KeyOf(service);
  const std::vector<Port> ports = PortsOf(service);
  const bool external = base::StringAt(service, {"spec", "type"}) == "ExternalName";
  const bool headless = base::StringAt(service, {"spec", "clusterIP"}) == "None";
  std::optional<Port> port = ChoosePort(ports, asked_port);
  if (!port)
    return No("PortNotFound", "Service " + key.Text() + " has " + PortList(ports) + " and not " +
                                  std::to_string(asked_port) + ", which the AgentTool asks for");
  Resolution out;
  out.resolved = true;
  out.service = key.name;
  out.name_space = key.name_space;
  out.service_generation = kube::GenerationOf(service);
  out.port = headless ? HeadlessPort(*port, slices) : port->number;
  out.url = "http://" + key.name + "." + key.name_space + ".svc." + cluster_domain + ":" +
            std::to_string(out.port);
  if (!external) out.audience = "agent-memory." + key.name_space + "." + key.name;
  out.counts_endpoints = !external;
  if (!external) out.ready_endpoints = CountReadyEndpoints(slices);
  out.reason = external ? "ExternalName" : headless ? "Headless" : "Resolved";
  out.message = "Service " + key.Text() + " is " + out.url;
  if (external) out.message += ", an ExternalName: no token is sent there";
  if (port->assumed && !external) {
    out.reason = "PortAssumed";
    out.message += ": it has " + PortList(ports) +
                   ", none is called memory, so 7437 is assumed; call the right port memory";
  }
  return out;
}

Resolution OverriddenBy(const std::string& url, const kube::ObjectKey& reference) {
  Resolution out = No("Overridden", "the URL was given: " + url);
  out.resolved = true;
  out.url = url;
  out.service = reference.name;
  out.name_space = reference.name_space;
  out.audience = "agent-memory." + reference.name_space + "." + reference.name;
  return out;
}

Resolution NotFound(const ObservedAgent& observed, const kube::ObjectKey& reference) {
  const std::string nothing =
      "no Service and no AgentTool " + reference.name + " in namespace " + reference.name_space;
  if (Find(observed.memory_servers, reference))
    return No("MemoryServerNotReady",
              nothing + "; MemoryServer " + reference.name +
                  " exists and creates a Service of its name: kubectl describe memoryserver -n " +
                  reference.name_space + " " + reference.name + " says what it waits for");
  return No("ServiceNotFound", nothing + ": create the Service, or correct spec.memory.serverRef");
}

}  // namespace

Resolution Resolve(const ObservedAgent& observed, const std::string& cluster_domain,
                   const std::string& override_url) {
  const kube::ObjectKey reference = ServerReference(observed.agent);
  const std::string own = kube::KeyOf(observed.agent).name_space;
  if (reference.name.empty()) return No("NoMemory", "the Agent has no spec.memory");
  if (!override_url.empty()) return OverriddenBy(override_url, reference);

  kube::ObjectKey wanted = reference;
  int asked_port = 0;
  const Json* service = Find(observed.services, wanted);
  if (reference.name_space != own && (!service || !IsGranted(*service, own)))
    // One message for both cases, so that users cannot probe for Services of other namespaces.
    return No("ReferenceNotGranted",
              "Service " + reference.Text() + " is not there or does not allow namespace " + own +
                  "; its owner allows it with: kubectl annotate service -n " +
                  reference.name_space + " " + reference.name + " " + kAllowedNamespaces + "=" +
                  own);
  if (!service) {
    const Json* tool = Find(observed.agent_tools, reference);
    if (!tool) return NotFound(observed, reference);
    wanted.name = base::StringAt(*tool, {"spec", "service", "name"});
    if (wanted.name.empty())
      return No("AgentToolWithoutService",
                "AgentTool " + reference.Text() +
                    " names no Service: set its spec.service.name to that of the memory server, or "
                    "correct spec.memory.serverRef");
    const Json* port = base::At(*tool, {"spec", "service", "port"});
    asked_port = port && port->is_number_integer() ? port->get<int>() : 0;
    service = Find(observed.services, wanted);
    if (!service)
      return No("ServiceNotFound", "AgentTool " + reference.Text() + " names Service " +
                                       wanted.name + ", which is not in namespace " + own +
                                       ": create it");
  }
  auto slices = observed.endpoint_slices.find(wanted);
  static const std::vector<Json> kNone;
  return OfService(*service, asked_port,
                   slices == observed.endpoint_slices.end() ? kNone : slices->second,
                   cluster_domain);
}

// A Service of both address families has slices of each, and a pod is an endpoint in both.
int CountReadyEndpoints(const std::vector<base::Json>& slices) {
  std::set<std::string> pods;                                  // UIDs
  std::map<std::string, std::set<std::string>> without_a_pod;  // addresses by family
  for (const Json& slice : slices) {
    if (!slice.contains("endpoints") || !slice["endpoints"].is_array()) continue;
    for (const Json& endpoint : slice["endpoints"]) {
      // An absent condition is true. With publishNotReadyAddresses every endpoint is "ready", and
      // only "serving" has the readiness of the pod.
      auto denies = [&](const char* condition) {
        const Json* is = base::At(endpoint, {"conditions", condition});
        return is && is->is_boolean() && !is->get<bool>();
      };
      if (denies("ready") || denies("serving")) continue;
      if (const std::string uid = base::StringAt(endpoint, {"targetRef", "uid"}); !uid.empty()) {
        pods.insert(uid);
        continue;
      }
      const Json* listed = base::At(endpoint, {"addresses"});
      if (!listed || !listed->is_array()) continue;
      for (const Json& address : *listed)
        if (address.is_string())
          without_a_pod[base::StringAt(slice, {"addressType"})].insert(address.get<std::string>());
    }
  }
  size_t most = 0;
  for (const auto& [family, addresses] : without_a_pod) most = std::max(most, addresses.size());
  return static_cast<int>(pods.size() + most);
}

}  // namespace controller
