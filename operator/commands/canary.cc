// Runs an Agent of mode task by an AgentRun, which needs CRDs, operator, policy, both images, the
// sidecar and its way to the memory server, but no foreign image. The agent only prints its
// version.
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <thread>

#include "lib/base/process/clock.h"
#include "lib/base/process/config.h"
#include "lib/base/process/random.h"
#include "lib/base/text/text.h"
#include "lib/http/client/client.h"
#include "lib/kube/client/connection.h"
#include "operator/commands/commands.h"
#include "operator/names/kinds.h"

namespace controller {
namespace {

using base::Json;

constexpr int kFailed = 1, kUsage = 64;
constexpr int64_t kLookAgainMs = 500, kSeenWithinMs = 120'000;

const base::Program& CanaryProgram() {
  using Kind = base::Setting::Kind;
  static const base::Program program = {
      "agent-memory-operator canary",
      "Creates an Agent, runs it once, removes it, and reports how far that got.",
      {
          {"kubeconfig", Kind::kString, "",
           "how to reach the API server; empty: as the pod's ServiceAccount"},
          {"namespace", Kind::kString, "", "where; empty: that of the kubeconfig or of the pod"},
          {"server-ref", Kind::kString, "", "its memory; empty: an Agent without one"},
          {"image", Kind::kString, "agent-memory/operator:dev",
           "what the Agent runs; it must end well when it is called with --version"},
          {"timeout", Kind::kDuration, "240s", "for everything, pulling images included", 1'000,
           3'600'000},
      },
      ""};
  return program;
}

std::string EnvironmentText(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// The pod of the test, so that its deletion deletes the created objects in any case.
Json OwnersOf(const std::string& name_space) {
  const std::string pod = EnvironmentText("POD_NAME"), uid = EnvironmentText("POD_UID");
  if (pod.empty() || uid.empty() || EnvironmentText("POD_NAMESPACE") != name_space)
    return Json::array();
  return {{{"apiVersion", "v1"}, {"kind", "Pod"}, {"name", pod}, {"uid", uid}}};
}

Json Named(const kube::Resource& resource, const kube::ObjectKey& key, Json spec) {
  return {{"apiVersion", resource.ApiVersion()},
          {"kind", resource.kind},
          {"metadata",
           {{"name", key.name},
            {"namespace", key.name_space},
            {"ownerReferences", OwnersOf(key.name_space)}}},
          {"spec", std::move(spec)}};
}

Json AgentSpec(const base::Settings& settings) {
  Json spec = {{"mode", "task"}, {"image", settings.Text("image")}, {"args", {"--version"}}};
  if (const std::string server = settings.Text("server-ref"); !server.empty())
    spec["memory"] = {{"serverRef", server}, {"project", "canary"}};
  return spec;
}

const Json* ConditionOf(const Json& status, const char* type) {
  const Json* conditions = base::At(status, {"conditions"});
  if (!conditions || !conditions->is_array()) return nullptr;
  for (const Json& condition : *conditions)
    if (base::StringAt(condition, {"type"}) == type) return &condition;
  return nullptr;
}

std::string TruthOf(const Json& status, const char* type) {
  const Json* condition = ConditionOf(status, type);
  return condition ? base::StringAt(*condition, {"status"}) : "";
}

// Summarizes an AgentRun's `status` in one line for people.
std::string SummaryOf(const Json& status) {
  const Json* ready = ConditionOf(status, "Ready");
  if (!ready) return "the operator has not reconciled it yet";
  return base::StringAt(*ready, {"reason"}) + ": " + base::StringAt(*ready, {"message"});
}

class Canary {
 public:
  Canary(kube::KubeClient& client, const base::Settings& settings, std::string name_space,
         std::ostream& out)
      : client_(client),
        settings_(settings),
        key_{std::move(name_space), "canary-" + base::RandomHex(4)},
        out_(out),
        end_ms_(base::SystemClock().MonotonicMs() + settings.Milliseconds("timeout")) {}
  ~Canary() {
    // A failed deletion does not matter: the objects are deleted with the pod.
    (void)client_.Delete(AgentRuns(), key_);
    (void)client_.Delete(Agents(), key_);
  }
  Canary(const Canary&) = delete;

  base::Status Fly() {
    RETURN_IF_ERROR(Make(Agents(), AgentSpec(settings_)));
    RETURN_IF_ERROR(AwaitSight());
    out_ << "the operator has seen it" << std::endl;
    RETURN_IF_ERROR(Make(AgentRuns(), {{"agentRef", key_.name}}));
    RETURN_IF_ERROR(AwaitEnd());
    out_ << "it has run and ended well" << std::endl;
    return {};
  }

 private:
  base::Status Make(const kube::Resource& resource, Json spec) {
    auto made = client_.Create(resource, Named(resource, key_, std::move(spec)));
    if (!made && made.error().code == base::Code::kNotFound)
      return base::Wrap("cannot make " + What(resource) + ": are the CRDs and the namespace there?",
                        made.error());
    if (!made) return base::Wrap("cannot make " + What(resource), made.error());
    out_ << "made " << What(resource) << std::endl;
    return {};
  }
  // Returns an empty object on a transient error, so that the caller tries again.
  base::Result<Json> Look(const kube::Resource& resource) {
    auto found = client_.Get(resource, key_);
    if (found) return found;
    const base::Code code = found.error().code;
    if (code == base::Code::kNotFound || code == base::Code::kDenied) return found.error();
    out_ << found.error().message << std::endl;
    return Json::object();
  }
  // Awaits a status, which only the operator writes. Fails with CRDs of another project, another
  // class, or namespaces that the operator does not serve.
  base::Status AwaitSight() {
    const int64_t until_ms = base::SystemClock().MonotonicMs() + kSeenWithinMs;
    while (base::SystemClock().MonotonicMs() < std::min(until_ms, end_ms_)) {
      ASSIGN_OR_RETURN(const Json agent, Look(Agents()));
      const Json* seen = base::At(agent, {"status", "observedGeneration"});
      if (seen && *seen == kube::GenerationOf(agent)) return {};
      Rest();
    }
    return base::Error{base::Code::kTimeout,
                       "no operator has reconciled " + What(Agents()) +
                           ": does one run, does it serve this namespace (--namespaces), what "
                           "does its log say?"};
  }
  base::Status AwaitEnd() {
    Json status;
    while (base::SystemClock().MonotonicMs() < end_ms_) {
      ASSIGN_OR_RETURN(const Json run, Look(AgentRuns()));
      status = run.value("status", status);
      if (const std::string now = SummaryOf(status); now != printed_)
        out_ << (printed_ = now) << std::endl;
      if (TruthOf(status, "Succeeded") == "True") return {};
      if (TruthOf(status, "Stalled") == "True")
        return base::Error{base::Code::kInternal, What(AgentRuns()) + " failed: " + printed_};
      Rest();
    }
    return base::Error{
        base::Code::kTimeout,
        What(AgentRuns()) + " has not ended in time; last seen: " + printed_ + Why()};
  }
  // The status of the Agent explains a run that waits for its memory.
  std::string Why() {
    auto agent = client_.Get(Agents(), key_);
    const Json status = agent ? agent->value("status", Json()) : Json();
    const Json* ready = ConditionOf(status, "Ready");
    return ready ? "; its Agent: " + base::StringAt(*ready, {"message"}) : "";
  }
  std::string What(const kube::Resource& resource) const {
    return resource.kind + " " + key_.Text();
  }
  static void Rest() { std::this_thread::sleep_for(std::chrono::milliseconds(kLookAgainMs)); }

  kube::KubeClient& client_;
  const base::Settings& settings_;
  const kube::ObjectKey key_;
  std::ostream& out_;
  const int64_t end_ms_;
  std::string printed_;
};

base::Status Fly(const base::Settings& settings, std::ostream& out) {
  ASSIGN_OR_RETURN(kube::ClusterConfig config,
                   kube::FindClusterConfig(settings.Text("kubeconfig")));
  std::string name_space = settings.Text("namespace");
  if (name_space.empty()) name_space = config.name_space.empty() ? "default" : config.name_space;
  const std::string server = config.server;
  http::InitializeClientThread();
  ASSIGN_OR_RETURN(
      auto connection,
      kube::Connection::Make(std::move(config), {}, "agent-memory-canary/" AGENT_MEMORY_VERSION));
  auto flown = Canary(connection->client(), settings, std::move(name_space), out).Fly();
  return flown ? flown : base::Status(base::Wrap("API server " + server, flown.error()));
}

}  // namespace

int RunCanary(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  std::vector<std::string> line = {"agent-memory-operator"};
  line.insert(line.end(), arguments.begin(), arguments.end());
  const base::Invocation invocation =
      base::ReadCommandLine(CanaryProgram(), line, base::Environment());
  if (!invocation.run) {
    (invocation.exit_code ? err : out) << invocation.output;
    return invocation.exit_code;
  }
  if (auto flown = Fly(invocation.settings, out); !flown) {
    err << "FAILED: " << flown.error().message << "\n";
    return kFailed;
  }
  return 0;
}

}  // namespace controller
