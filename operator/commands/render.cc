// Plans the objects of files, and prints the applied objects as YAML.
#include <iostream>

#include "lib/base/json/yaml.h"
#include "lib/base/process/clock.h"
#include "lib/base/process/file.h"
#include "operator/agent/observed_agent.h"
#include "operator/agent/plan.h"
#include "operator/commands/commands.h"
#include "operator/commands/file_request.h"
#include "operator/names/names.h"
#include "operator/run/plan.h"

namespace controller {
namespace {

using base::Json;

constexpr int kRenderRefused = 1, kRenderUsage = 64;
constexpr const char* kRenderHelp =
    R"(Usage: agent-memory-operator render agent.yaml [more.yaml …] [options]

Prints the objects that the Agents in the files would own, and the AgentRuns of Agents of mode task.
Other objects in the files (Services, EndpointSlices, AgentTools, MemoryServers,
PersistentVolumeClaims, children) are taken for what the cluster has. "-" is standard input.
What has a generateName is shown with xxxxx for what the API server adds.

  -f FILE              the same as FILE: YAML or JSON, several documents, several times
  -o DIR               also write one file per object there, the sidecar's policy.json and, for a
                       memory server without identity, share.json (one Agent)
  --memory-url URL     the memory server, instead of what serverRef leads to
  --namespace NS       of objects that name none (default)
  --cluster-domain D   (cluster.local)
  --agent-image I      image of the agent where the Agent names none
  --sidecar-image I    image of the sidecar where the Agent names none
  --otlp-endpoint URL  where the sidecar sends traces
)";

constexpr const char* kShareFile = "share.json";

// Writes the --share-file of a memory server without authentication.
base::Status WriteShare(const std::string& directory, const Json& agent) {
  if (!base::At(agent, {"spec", "memory", "serverRef"})) return {};
  const Json* share = base::At(agent, {"spec", "memory", "share"});
  const Json grants = {
      {kube::KeyOf(agent).name, share && share->is_array() ? *share : Json::array()}};
  return base::ReplaceFile(directory + "/" + kShareFile, base::DumpJson(grants) + "\n");
}

base::Status WriteFiles(const std::string& directory, const Plan& plan) {
  RETURN_IF_ERROR(base::MakeDirectories(directory));
  for (const Child& child : plan.apply) {
    std::string name = child.resource.kind + "-" + kube::KeyOf(child.object).name + ".yaml";
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    RETURN_IF_ERROR(base::ReplaceFile(directory + "/" + name, base::DumpYaml(child.object)));
  }
  if (plan.policy_file.empty()) return {};
  return base::ReplaceFile(directory + "/" + kPolicyFile, plan.policy_file);
}

// Warns of conditions that are not met, except Ready.
void Warn(const Json& status, const std::string& object, std::ostream& err) {
  for (const Json& condition : status["conditions"]) {
    const std::string type = condition["type"], state = condition["status"];
    const bool bad = type == "Degraded" || type == "Stalled" ? state == "True" : state == "False";
    if (type == "Ready" || !bad) continue;
    err << "warning: " << object << ": " << type << "=" << state << " ("
        << condition["reason"].get<std::string>()
        << "): " << condition["message"].get<std::string>() << "\n";
  }
}

bool Finish(const FileRequest& request, const Plan& plan, const std::string& object,
            std::ostream& out, std::ostream& err) {
  for (const Child& child : plan.apply) out << "---\n" << base::DumpYaml(child.object);
  if (plan.status) Warn(*plan.status, object, err);
  if (request.directory.empty()) return true;
  const auto policy = base::ParseJson(plan.policy_file);
  if (policy && base::StringAt(*policy, {"memory", "url"}).empty() && policy->contains("memory"))
    err << "warning: " << request.directory << "/" << kPolicyFile
        << " names no memory server, so a sidecar with it finds none; add --memory-url URL\n";
  const auto written = WriteFiles(request.directory, plan);
  if (!written) err << "render: " << written.error().message << "\n";
  return written.has_value();
}

// Renders a run; `agents` have the status of their plans.
bool RenderRun(const FileRequest& request, const Json& run, const std::vector<Json>& agents,
               std::ostream& out, std::ostream& err) {
  ObservedRun observed;
  observed.run = run;
  observed.children_read = true;
  const kube::ObjectKey self = kube::KeyOf(run);
  for (const Json& agent : agents)
    if (kube::KeyOf(agent) ==
        kube::ObjectKey{self.name_space, base::StringAt(run, {"spec", "agentRef"})})
      observed.agent = agent;
  const Plan plan = MakeRunPlan(observed, request.settings, base::SystemClock().NowMs());
  if (plan.apply.empty() && plan.status)
    err << "warning: AgentRun " << self.name
        << " becomes no Job: " << (*plan.status)["conditions"][0]["message"].get<std::string>()
        << "\n";
  return Finish(request, plan, "AgentRun " + self.name, out, err);
}

int RenderAll(const FileRequest& request, const std::vector<Json>& objects, std::ostream& out,
              std::ostream& err) {
  size_t agents = 0;
  for (const Json& object : objects) agents += base::StringAt(object, {"kind"}) == "Agent" ? 1 : 0;
  if (agents == 0 || (agents > 1 && !request.directory.empty())) {
    err << "render: " << (agents == 0 ? "no Agent in the files" : "-o takes one Agent at a time")
        << "\n";
    return kRenderRefused;
  }
  std::vector<Json> seen;  // the Agents, with their status
  for (const Json& object : objects) {
    if (base::StringAt(object, {"kind"}) != "Agent") continue;
    const Plan plan =
        MakePlan(Classify(object, objects), request.settings, base::SystemClock().NowMs());
    if (!Finish(request, plan, "Agent " + kube::KeyOf(object).name, out, err))
      return kRenderRefused;
    if (!request.directory.empty()) {
      if (auto written = WriteShare(request.directory, object); !written) {
        err << "render: " << written.error().message << "\n";
        return kRenderRefused;
      }
    }
    seen.push_back(object);
    if (plan.status) seen.back()["status"] = *plan.status;
  }
  for (const Json& object : objects)
    if (base::StringAt(object, {"kind"}) == "AgentRun" &&
        !RenderRun(request, object, seen, out, err))
      return kRenderRefused;
  return 0;
}

}  // namespace

int RunRender(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  auto request = ReadArguments(arguments, "render");
  if (!request) {
    err << request.error().message << "\n\n" << kRenderHelp;
    return kRenderUsage;
  }
  if (request->help) {
    out << kRenderHelp;
    return 0;
  }
  auto objects = ReadFiles(*request);
  if (!objects) {
    err << objects.error().message << "\n";
    return kRenderRefused;
  }
  return RenderAll(*request, *objects, out, err);
}

}  // namespace controller
