// Arguments in, files in, plan, YAML out.
#include "operator/render.h"

#include <iostream>

#include "lib/base/clock.h"
#include "lib/base/file.h"
#include "lib/base/text.h"
#include "lib/telemetry/trace_export.h"
#include "operator/embedded_crds.h"
#include "operator/names.h"
#include "operator/run_plan.h"

namespace controller {
namespace {

using base::Json;

constexpr int kRefused = 1, kUsage = 64;
constexpr const char* kHelp =
    R"(Usage: agent-memory-operator render -f agent.yaml [-f more.yaml …] [options]

Prints the objects that the Agents in the files would own, and the AgentRuns of Agents of mode task.
Other objects in the files (Services, EndpointSlices, AgentTools, MemoryServers,
PersistentVolumeClaims, children) are taken for what the cluster has. "-" is standard input.

  -f FILE              YAML or JSON, several documents, several times
  -o DIR               also write one file per object there, and the sidecar's policy.json (one Agent)
  --memory-url URL     the memory server, instead of what serverRef leads to
  --namespace NS       of objects that name none (default)
  --cluster-domain D   (cluster.local)
  --sidecar-image I    image of the sidecar where the Agent names none
  --otlp-endpoint URL  where the sidecar sends traces
)";

struct Request {
  std::vector<std::string> files;
  std::string directory, name_space = "default";
  Settings settings;
  bool help = false;
};

base::Result<Request> ReadArguments(const std::vector<std::string>& arguments) {
  Request request;
  for (size_t i = 0; i < arguments.size(); ++i) {
    std::string flag = arguments[i], value;
    if (flag == "--help" || flag == "-h") {
      request.help = true;
      return request;
    }
    const size_t equals = flag.find('=');
    if (flag.starts_with("--") && equals != std::string::npos) {
      value = flag.substr(equals + 1);
      flag.resize(equals);
    } else if (++i < arguments.size()) {
      value = arguments[i];
    } else {
      return base::Error{base::Code::kInvalid, flag + " needs a value"};
    }
    if (flag == "-f" || flag == "--filename")
      request.files.push_back(value);
    else if (flag == "-o" || flag == "--output")
      request.directory = value;
    else if (flag == "--namespace")
      request.name_space = value;
    else if (flag == "--memory-url")
      request.settings.memory_url = value;
    else if (flag == "--cluster-domain")
      request.settings.cluster_domain = value;
    else if (flag == "--sidecar-image")
      request.settings.sidecar_image = value;
    else if (flag == "--otlp-endpoint")
      request.settings.otlp_endpoint = value;
    else
      return base::Error{base::Code::kInvalid, "render does not know " + flag};
  }
  RETURN_IF_ERROR(
      telemetry::CheckTraceOptions({request.settings.otlp_endpoint, "--otlp-endpoint", {}, {}}));
  if (request.files.empty()) return base::Error{base::Code::kInvalid, "render needs -f FILE"};
  return request;
}

base::Result<std::string> ReadSource(const std::string& file) {
  if (file != "-") return base::ReadFile(file);
  return std::string(std::istreambuf_iterator<char>(std::cin), {});
}

base::Result<std::vector<Json>> ReadFiles(const Request& request) {
  std::vector<Json> objects;
  for (const std::string& file : request.files) {
    auto text = ReadSource(file);
    if (!text) return base::Wrap(file, text.error());
    auto read = ReadObjects(*text, request.name_space);
    if (!read) return base::Wrap(file, read.error());
    objects.insert(objects.end(), read->begin(), read->end());
  }
  return objects;
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

// What a person should know about the rendering although nothing was refused.
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

bool Finish(const Request& request, const Plan& plan, const std::string& object, std::ostream& out,
            std::ostream& err) {
  for (const Child& child : plan.apply) out << "---\n" << base::DumpYaml(child.object);
  if (plan.status) Warn(*plan.status, object, err);
  if (request.directory.empty()) return true;
  const auto written = WriteFiles(request.directory, plan);
  if (!written) err << "render: " << written.error().message << "\n";
  return written.has_value();
}

// What the run becomes once the Agents in the files have the status of their plans.
bool RenderRun(const Request& request, const Json& run, const std::vector<Json>& agents,
               std::ostream& out, std::ostream& err) {
  ObservedRun observed;
  observed.run = run;
  observed.looked = true;
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

int RenderAll(const Request& request, const std::vector<Json>& objects, std::ostream& out,
              std::ostream& err) {
  size_t agents = 0;
  for (const Json& object : objects) agents += base::StringAt(object, {"kind"}) == "Agent" ? 1 : 0;
  if (agents == 0 || (agents > 1 && !request.directory.empty())) {
    err << "render: " << (agents == 0 ? "no Agent in the files" : "-o takes one Agent at a time")
        << "\n";
    return kRefused;
  }
  std::vector<Json> seen;  // the Agents, with their status
  for (const Json& object : objects) {
    if (base::StringAt(object, {"kind"}) != "Agent") continue;
    const Plan plan =
        MakePlan(Sort(object, objects), request.settings, base::SystemClock().NowMs());
    if (!Finish(request, plan, "Agent " + kube::KeyOf(object).name, out, err)) return kRefused;
    seen.push_back(object);
    if (plan.status) seen.back()["status"] = *plan.status;
  }
  for (const Json& object : objects)
    if (base::StringAt(object, {"kind"}) == "AgentRun" &&
        !RenderRun(request, object, seen, out, err))
      return kRefused;
  return 0;
}

}  // namespace

base::Result<std::vector<base::Json>> ReadObjects(const std::string& yaml,
                                                  const std::string& name_space) {
  ASSIGN_OR_RETURN(std::vector<Json> objects, base::ParseYamlDocuments(yaml));
  std::vector<std::string> faults;
  for (Json& object : objects) {
    if (!object.is_object() || !object.contains("kind")) {
      faults.push_back("a document is no Kubernetes object: it has no kind");
      continue;
    }
    const std::string kind = base::StringAt(object, {"kind"});
    const bool ours = base::StringAt(object, {"apiVersion"}).starts_with("agents.agentops.io/");
    const kube::CrdSchema* schema = SchemaOf(object);
    if (ours && !schema)
      faults.push_back("no kind " + kind + " in " + base::StringAt(object, {"apiVersion"}));
    if (kind == "Agent" && !ours)
      faults.push_back("Agent: apiVersion must be agents.agentops.io/v1alpha1");
    if (schema)
      for (const std::string& fault : schema->Admit(object))
        faults.push_back("The " + kind + " \"" + base::StringAt(object, {"metadata", "name"}) +
                         "\" is invalid: " + fault);
    if (object["metadata"].is_object() && !object["metadata"].contains("namespace"))
      object["metadata"]["namespace"] = name_space;
  }
  if (faults.empty()) return objects;
  return base::Error{base::Code::kInvalid, base::Join(faults, "\n")};
}

int RunRender(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  auto request = ReadArguments(arguments);
  if (!request) {
    err << request.error().message << "\n\n" << kHelp;
    return kUsage;
  }
  if (request->help) {
    out << kHelp;
    return 0;
  }
  auto objects = ReadFiles(*request);
  if (!objects) {
    err << objects.error().message << "\n";
    return kRefused;
  }
  return RenderAll(*request, *objects, out, err);
}

}  // namespace controller
