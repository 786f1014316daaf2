// A Service with the Agent's name for its named ports.
#include "operator/names/names.h"
#include "operator/objects/agent_objects.h"

namespace controller {

std::optional<base::Json> ServiceOf(const Blueprint& blueprint) {
  const api::Agent& agent = blueprint.agent;
  if (agent.mode == "task") return std::nullopt;  // its runs come and go, several at once
  base::Json ports = base::Json::array();
  for (const base::Json& port : agent.spec.value("ports", base::Json::array()))
    if (const std::string name = base::StringAt(port, {"name"});
        !name.empty() && base::At(port, {"containerPort"}))
      ports.push_back({{"name", name},
                       {"port", *base::At(port, {"containerPort"})},
                       {"targetPort", name},
                       {"protocol", "TCP"}});
  if (ports.empty()) return std::nullopt;
  return base::Json{{"metadata", {{"name", PortsServiceName(agent.name)}}},
                    {"spec",
                     {{"ipFamilyPolicy", kServiceFamilies},
                      {"selector", {{kAgentLabel, agent.name}}},
                      {"ports", ports}}}};
}

}  // namespace controller
