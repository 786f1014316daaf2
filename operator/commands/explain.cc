// Plans each Agent for the parts in its status, which the policy copies, and injects them.
#include <iostream>
#include <optional>
#include <set>

#include "lib/base/json/yaml.h"
#include "lib/base/process/clock.h"
#include "operator/agent/observed_agent.h"
#include "operator/agent/plan.h"
#include "operator/commands/commands.h"
#include "operator/commands/file_request.h"
#include "operator/names/names.h"
#include "operator/plan/plan.h"
#include "operator/pods/injection.h"

namespace controller {
namespace {

using base::Json;

constexpr int kExplainRefused = 1, kExplainUsage = 64;
constexpr const char* kExplainHelp =
    R"(Usage: agent-memory-operator explain workload.yaml [agent.yaml …] [options]

Prints what pods with the label agents.agentops.io/memory become in a cluster that serves pods of
others and has the Agents of the files, and says why one is refused or left alone. Takes Pods, and
the Deployments, StatefulSets, DaemonSets, ReplicaSets, Jobs and CronJobs that make them. Other
objects in the files (Services, AgentTools) are taken for what the cluster has. "-" is standard
input.

  -f FILE              the same as FILE: YAML or JSON, several documents, several times
  --namespace NS       of objects that name none (default)
  --sidecar-image I    image of the sidecar where the Agent names none
  --otlp-endpoint URL  where the sidecar sends traces

Exit code 0; 1 when a file is faulty or a pod would be refused; 64 for a wrong call.
)";

// The injected parts, by Agent; absent: the Agent has none for foreign pods.
Objects PartsOf(const Objects& agents, const std::vector<Json>& objects, const Settings& settings) {
  Objects parts;
  for (const auto& [key, agent] : agents) {
    const Plan plan = MakePlan(Classify(agent, objects), settings, base::SystemClock().NowMs());
    const Json status = plan.status ? *plan.status : agent.value("status", Json());
    if (const Json* found = base::At(status, {"foreignPods"})) parts[key] = *found;
  }
  return parts;
}

// Why a pod with the label is refused; empty: it is not.
std::string RefusalOf(const Json& pod, const kube::ObjectKey& agent, const Objects& agents,
                      const Objects& parts) {
  if (std::string fault = ForeignPodFault(pod); !fault.empty()) return fault;
  const Json* containers = base::At(pod, {"spec", "containers"});
  if (!containers || !containers->is_array() || containers->empty()) return "it has no containers";
  if (parts.contains(agent)) return "";
  if (agents.contains(agent))
    return "Agent " + agent.Text() + " has no spec.injection.foreignPods: true with a spec.memory";
  return "there is no Agent " + agent.name + " in namespace " + agent.name_space +
         ": correct the label, or create it (here: give its file with -f)";
}

std::string Explanation(const Json& pod, const kube::ObjectKey& agent) {
  std::string text = "gets the memory of Agent " + agent.Text() + ": init containers";
  for (const Json& container : pod["spec"]["initContainers"])
    text += " " + base::StringAt(container, {"name"});
  if (base::At(pod, {"metadata", "annotations", kClamped}))
    text += "; the securityContext of its own container memory is ignored";
  return text;
}

struct Explained {
  Json pod;
  std::string name;  // for people
};

// The pod itself, or the pod that a workload would create; nullopt: none.
std::optional<Explained> PodIn(const Json& object) {
  const std::string kind = base::StringAt(object, {"kind"});
  const std::string name = kind + " " + kube::KeyOf(object).Text();
  if (kind == "Pod") return Explained{object, name};
  static const std::set<std::string> kMakers = {"Deployment", "StatefulSet", "DaemonSet",
                                                "ReplicaSet", "Job"};
  const Json* made = kMakers.contains(kind) ? base::At(object, {"spec", "template"})
                     : kind == "CronJob"
                         ? base::At(object, {"spec", "jobTemplate", "spec", "template"})
                         : nullptr;
  if (!made || !made->is_object()) return std::nullopt;
  Json pod = *made;
  pod["apiVersion"] = "v1";
  pod["kind"] = "Pod";
  if (!pod["metadata"].is_object()) pod["metadata"] = Json::object();
  pod["metadata"]["namespace"] = kube::KeyOf(object).name_space;
  pod["metadata"]["name"] = kube::KeyOf(object).name + "-xxxxx";
  return Explained{std::move(pod), "a Pod of " + name};
}

// False: the pod would be refused.
bool ExplainPod(Explained explained, const Objects& agents, const Objects& parts, std::ostream& out,
                std::ostream& err) {
  Json& pod = explained.pod;
  const std::string label = kube::LabelOf(pod, kMemoryLabel);
  const kube::ObjectKey agent{kube::KeyOf(pod).name_space, label};
  const Skip skip = SkipOf(pod);
  const bool left = label.empty() || !skip.reason.empty();
  const std::string refusal = left ? "" : RefusalOf(pod, agent, agents, parts);
  if (!refusal.empty()) {
    err << explained.name << " is refused: " << refusal << "\n";
    return false;
  }
  if (!left)
    InjectIntoForeignPod(
        pod, parts.at(agent),
        base::StringAt(agents.at(agent), {"spec", "injection", "placement"}, "First"));
  const std::string why =
      label.empty() ? std::string("it has no label ") + kMemoryLabel : skip.message;
  err << explained.name << " " << (left ? "is left as it is: " + why : Explanation(pod, agent))
      << "\n";
  out << "---\n" << base::DumpYaml(pod);
  return true;
}

int ExplainAll(const FileRequest& request, const std::vector<Json>& objects, std::ostream& out,
               std::ostream& err) {
  Objects agents;
  for (const Json& object : objects)
    if (base::StringAt(object, {"kind"}) == "Agent") agents[kube::KeyOf(object)] = object;
  const Objects parts = PartsOf(agents, objects, request.settings);
  int code = 0, pods = 0;
  for (const Json& object : objects) {
    auto explained = PodIn(object);
    if (!explained) continue;
    ++pods;
    if (!ExplainPod(*std::move(explained), agents, parts, out, err)) code = kExplainRefused;
  }
  if (pods > 0) return code;
  err << "explain: no Pod in the files, and nothing that makes one: a Deployment, StatefulSet, "
         "DaemonSet, ReplicaSet, Job or CronJob\n";
  return kExplainRefused;
}

}  // namespace

int RunExplain(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  auto request = ReadArguments(arguments, "explain");
  if (!request) {
    err << request.error().message << "\n\n" << kExplainHelp;
    return kExplainUsage;
  }
  if (request->help) {
    out << kExplainHelp;
    return 0;
  }
  auto objects = ReadFiles(*request);
  if (!objects) {
    err << objects.error().message << "\n";
    return kExplainRefused;
  }
  return ExplainAll(*request, *objects, out, err);
}

}  // namespace controller
