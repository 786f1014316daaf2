// The table of settings and what of it only makes sense together.
#include "operator/operator_settings.h"

#include <cstdlib>

#include "lib/base/process/log.h"
#include "lib/base/process/random.h"
#include "lib/http/server/address.h"
#include "lib/telemetry/trace_export.h"
#include "operator/admission/injection_webhook.h"

namespace controller {

std::string PodName() {
  const char* pod = std::getenv("POD_NAME");
  return pod ? pod : "";
}

// Without a name: none. Two thirds and two fifteenths of the duration are client-go's proportions.
base::Result<kube::LeaseSettings> LeaseOf(const base::Settings& settings) {
  const std::string text = settings.Text("lease");
  const size_t slash = text.find('/');
  kube::LeaseSettings lease;
  if (text.empty()) return lease;
  if (slash != std::string::npos) lease.key = {text.substr(0, slash), text.substr(slash + 1)};
  if (lease.key.name_space.empty() || lease.key.name.empty() ||
      lease.key.name.find('/') != std::string::npos)
    return base::Error{base::Code::kInvalid,
                       "lease: \"" + text +
                           "\" is not namespace/name of a Lease, agents/agent-memory-operator say"};
  lease.duration_ms = settings.Milliseconds("lease-duration");
  lease.renew_deadline_ms = lease.duration_ms * 2 / 3;
  lease.retry_ms = lease.duration_ms * 2 / 15;
  // A container that is started again in its pod goes on at once; elsewhere no two are alike.
  lease.identity = PodName();
  if (lease.identity.empty()) lease.identity = "agent-memory-operator-" + base::RandomHex(8);
  return lease;
}

namespace {

constexpr const char* kSubcommands =
    "Subcommands:\n"
    "  render -f agent.yaml …   the objects that an Agent would own, from files (render "
    "--help)\n"
    "  explain pod -f pod.yaml …  what a pod of others becomes, from files (explain --help)\n"
    "  canary                   make an Agent, run it once, remove it (canary --help)\n";

base::Status CheckSettings(const base::Settings& settings) {
  ASSIGN_OR_RETURN([[maybe_unused]] base::Level level,
                   base::ParseLevel(settings.Text("log-level")));
  // Sidecars would not start with a bad one.
  RETURN_IF_ERROR(
      telemetry::CheckTraceOptions({settings.Text("otlp-endpoint"), "otlp-endpoint", {}, {}}));
  for (const char* name : {"admin", "webhook-listen"})
    if (auto address = http::ParseAddress(settings.Text(name)); !address)
      return base::Wrap(name, address.error());
  const std::string mode = settings.Text("injection-mode");
  if (mode != "auto" && mode != "policy" && mode != "webhook")
    return base::Error{base::Code::kInvalid,
                       "injection-mode: \"" + mode + "\" is none of auto, policy and webhook"};
  const auto lease = LeaseOf(settings);
  return lease ? base::Status() : base::Status(lease.error());
}

}  // namespace

const base::Program& OperatorProgram() {
  using Kind = base::Setting::Kind;
  static const base::Program program = {
      "agent-memory-operator",
      "Turns Agents into workloads with memory, and keeps them so.",
      {
          {"kubeconfig", Kind::kString, "",
           "of the API server; empty: as the pod's ServiceAccount"},
          {"admin", Kind::kString, ":8080", "probes and metrics"},
          {"namespaces", Kind::kList, "", "only these, a,b; empty: all"},
          {"class", Kind::kString, "",
           "only Agents whose agents.agentops.io/class is this; empty: those that have none"},
          {"cluster-domain", Kind::kString, "cluster.local", "DNS domain of the cluster"},
          {"agent-image", Kind::kString, "", "of Agents that name none; empty: they get no pod"},
          {"sidecar-image", Kind::kString, "agent-memory/sidecar:dev", "of Agents that name none"},
          {"server-image", Kind::kString, "agent-memory/server:dev",
           "of MemoryServers that name none"},
          {"otlp-endpoint", Kind::kString, "",
           "collector that sidecars send traces to by OTLP over HTTP, http://host:4318; empty: "
           "none"},
          {"injection-policy", Kind::kString, "",
           "the chart's MutatingAdmissionPolicy that gives sidecars to pods of others; empty: they "
           "are left alone"},
          {"injection-mode", Kind::kString, "auto",
           "how pods of others get sidecars: policy, webhook, or auto: by the policy where the API "
           "server has it, else by the webhook"},
          {"injection-webhook", Kind::kString, "",
           "the chart's MutatingWebhookConfiguration that calls this operator; empty: none"},
          {"validation-webhook", Kind::kString, "",
           "its ValidatingWebhookConfiguration, where the API server has no policies for it"},
          {"webhook-listen", Kind::kString, ":9443", "where the webhook is served, by HTTPS"},
          {"webhook-hosts", Kind::kList, "",
           "names that the webhook is called by, agent-memory-operator.agents.svc say"},
          {"webhook-secret", Kind::kString, "",
           "namespace/name of the Secret with the webhook's certificates, which is made"},
          {"webhook-certificate-life", Kind::kDuration, "8760h",
           "after two thirds of it a certificate is replaced", 15'000, 94'608'000'000},
          {"adopt-crds", Kind::kBool, "false", "work with CRDs that somebody else installed"},
          {"max-concurrent-rollouts", Kind::kInt, "10",
           "Agents whose pods are updated or restarted at once, for a changed default say", 1,
           1'000},
          {"replaced-pods-per-minute", Kind::kInt, "10",
           "pods of others that have no sidecar and are evicted, where their Agent allows it", 1,
           600},
          ReviewBudgetSetting(),
          {"workers", Kind::kInt, "4", "Agents worked on at once; one only for edits", 1, 64},
          {"lease", Kind::kString, "",
           "namespace/name of the Lease by which replicas agree who works; empty: there is one"},
          {"lease-duration", Kind::kDuration, "15s",
           "a replica that died is replaced after it; renewed within two thirds of it", 3'000,
           300'000},
          {"log-level", Kind::kString, "info", "debug, info, warn or error"},
      },
      kSubcommands,
      CheckSettings,
      {"render", "explain", "canary"}};
  return program;
}

}  // namespace controller
