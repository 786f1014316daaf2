// The table of settings, and their validation.
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

// The proportions of deadline and retry, 2/3 and 2/15 of the duration, are client-go's.
base::Result<kube::LeaseSettings> LeaseOf(const base::Settings& settings) {
  const std::string text = settings.Text("lease");
  const size_t slash = text.find('/');
  kube::LeaseSettings lease;
  if (text.empty()) return lease;
  if (slash != std::string::npos) lease.key = {text.substr(0, slash), text.substr(slash + 1)};
  if (lease.key.name_space.empty() || lease.key.name.empty() ||
      lease.key.name.find('/') != std::string::npos)
    return base::Error{
        base::Code::kInvalid,
        "lease: \"" + text +
            "\" is not namespace/name of a Lease, for example agents/agent-memory-operator"};
  lease.duration_ms = settings.Milliseconds("lease-duration");
  lease.renew_deadline_ms = lease.duration_ms * 2 / 3;
  lease.retry_ms = lease.duration_ms * 2 / 15;
  // By the pod's name a restarted container keeps its Lease; outside of pods identities are random.
  lease.identity = PodName();
  if (lease.identity.empty()) lease.identity = "agent-memory-operator-" + base::RandomHex(8);
  return lease;
}

namespace {

constexpr const char* kSubcommands =
    "Subcommands:\n"
    "  render agent.yaml …      print the objects that an Agent would own (render --help)\n"
    "  explain workload.yaml …  print what a foreign Pod becomes, and why not (explain --help)\n"
    "  canary                   create an Agent, run it once, remove it (canary --help)\n";

base::Status CheckSettings(const base::Settings& settings) {
  ASSIGN_OR_RETURN([[maybe_unused]] base::Level level,
                   base::ParseLevel(settings.Text("log-level")));
  // Sidecars would not start with an invalid endpoint.
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

using Kind = base::Setting::Kind;

std::vector<base::Setting> GeneralSettings() {
  return {
      {"kubeconfig", Kind::kString, "",
       "path of a kubeconfig; empty: use the Pod's ServiceAccount"},
      {"admin", Kind::kString, ":8080", "listen address of probes and metrics"},
      {"namespaces", Kind::kList, "", "serve only these namespaces (a,b); empty: all"},
      {"class", Kind::kString, "",
       "serve only Agents whose annotation agents.agentops.io/class has this value; empty: "
       "only "
       "Agents without it"},
      {"cluster-domain", Kind::kString, "cluster.local", "DNS domain of the cluster"},
      {"agent-image", Kind::kString, "",
       "image of Agents that set neither spec.image nor spec.template; empty: they get no Pod"},
      {"sidecar-image", Kind::kString, "agent-memory/sidecar:dev",
       "image of the sidecar of Agents that set none"},
      {"server-image", Kind::kString, "agent-memory/server:dev",
       "image of MemoryServers that set none"},
      {"otlp-endpoint", Kind::kString, "",
       "OTLP/HTTP collector for traces of sidecars and servers, http://host:4318; empty: none"},
      {"adopt-crds", Kind::kBool, "false", "accept CRDs that another project installed"},
      {"max-concurrent-rollouts", Kind::kInt, "10",
       "maximum Agents whose Pods are updated or restarted at the same time", 1, 1'000},
      {"workers", Kind::kInt, "4",
       "Agents reconciled at the same time, one of them only for edits; other kinds have at "
       "most "
       "two workers each",
       1, 64},
      {"lease", Kind::kString, "",
       "Lease (namespace/name) for leader election; empty: no leader election, run one replica "
       "only"},
      {"lease-duration", Kind::kDuration, "15s",
       "time after which another replica takes over from a leader that died", 3'000, 300'000},
      {"log-level", Kind::kString, "info", "debug, info, warn or error"},
  };
}

// Settings of foreign Pods: their sidecars and the webhook.
std::vector<base::Setting> InjectionSettings() {
  return {
      {"injection-policy", Kind::kString, "",
       "the chart's MutatingAdmissionPolicy, which injects sidecars into foreign Pods (Pods of "
       "your own workloads); empty: none"},
      {"injection-mode", Kind::kString, "auto",
       "how foreign Pods get sidecars: policy, webhook, or auto (the policy where the API "
       "server "
       "serves it, else the webhook)"},
      {"injection-webhook", Kind::kString, "",
       "the chart's MutatingWebhookConfiguration, which calls this operator; empty: none"},
      {"validation-webhook", Kind::kString, "",
       "the chart's ValidatingWebhookConfiguration, for API servers without validating "
       "policies"},
      {"webhook-listen", Kind::kString, ":9443", "HTTPS listen address of the webhook"},
      {"webhook-hosts", Kind::kList, "",
       "DNS names of the webhook's certificate, for example agent-memory-operator.agents.svc"},
      {"webhook-secret", Kind::kString, "",
       "Secret (namespace/name) of the webhook's certificates; the operator creates it"},
      {"webhook-certificate-life", Kind::kDuration, "8760h",
       "lifetime of a webhook certificate, which is rotated after two thirds of it", 15'000,
       94'608'000'000},
      {"replaced-pods-per-minute", Kind::kInt, "10",
       "maximum evictions per minute of foreign Pods that lack a sidecar (needs "
       "spec.injection.replaceMissedPods)",
       1, 600},
      ReviewBudgetSetting(),
  };
}

std::vector<base::Setting> AllSettings() {
  std::vector<base::Setting> all = GeneralSettings(), injection = InjectionSettings();
  for (base::Setting& setting : injection) all.push_back(std::move(setting));
  return all;
}

}  // namespace

const base::Program& OperatorProgram() {
  static const base::Program program = {
      "agent-memory-operator", "Kubernetes operator: runs Agents with a memory sidecar.",
      AllSettings(),           kSubcommands,
      CheckSettings,           {"render", "explain", "canary"}};
  return program;
}

}  // namespace controller
