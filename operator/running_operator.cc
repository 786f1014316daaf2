// Builds and connects the parts of the operator.
#include "operator/running_operator.h"

#include <algorithm>
#include <mutex>
#include <thread>

#include "lib/base/process/log.h"
#include "lib/base/text/text.h"
#include "lib/http/client/client.h"
#include "lib/http/server/server.h"
#include "lib/kube/client/connection.h"
#include "lib/kube/controller/leader.h"
#include "lib/telemetry/instrument.h"
#include "operator/admission/injection_webhook.h"
#include "operator/controller.h"
#include "operator/crds/installed_crds.h"
#include "operator/names/kinds.h"
#include "operator/names/names.h"
#include "operator/operator_settings.h"
#include "operator/probes/admission_probe.h"
#include "operator/probes/pod_probes.h"

namespace controller {
namespace {

// Plus a hanging call (10 s) and the Lease's (5 s) that is 25 s, below the grace period of 30 s.
constexpr int64_t kDrainMs = 10'000;
constexpr int64_t kLingerMs = 3'000;
constexpr int64_t kAskAgentMs = 2'000;
constexpr int64_t kPolicyWaitMs = 15'000, kPolicyAgainMs = 500;

ControllerOptions OptionsOf(const base::Settings& settings, telemetry::Metrics& metrics) {
  ControllerOptions options;
  options.settings.cluster_domain = settings.Text("cluster-domain");
  options.settings.agent_image = settings.Text("agent-image");
  options.settings.sidecar_image = settings.Text("sidecar-image");
  options.settings.server_image = settings.Text("server-image");
  options.settings.otlp_endpoint = settings.Text("otlp-endpoint");
  options.agent_class = settings.Text("class");
  options.name_spaces = settings.List("namespaces");
  options.workers = static_cast<int>(settings.Int("workers"));
  options.standby = !settings.Text("lease").empty();
  if (!PodName().empty()) options.instance = PodName();
  options.agents.probe_sidecar = ProbeSidecar;
  options.probe_server = ProbeServer;
  options.agents.concurrent_rollouts = static_cast<size_t>(settings.Int("max-concurrent-rollouts"));
  options.foreign_pods.replacements_per_minute = settings.Int("replaced-pods-per-minute");
  options.foreign_pods.on_skipped = [&metrics](const std::string& reason) {
    metrics.Count("agentops_injection_skipped_total", {{"reason", reason}});
  };
  options.on_done = [&metrics](const std::string& queue, const char* result, double seconds) {
    metrics.Count("controller_runtime_reconcile_total",
                  {{"controller", queue}, {"result", result}});
    if (std::string_view(result) == "error")
      metrics.Count("controller_runtime_reconcile_errors_total", {{"controller", queue}});
    metrics.Observe("controller_runtime_reconcile_time_seconds", seconds, {{"controller", queue}});
    metrics.Observe("workqueue_work_duration_seconds", seconds, {{"name", queue}});
  };
  options.on_taken = [&metrics](const std::string& queue, double seconds) {
    metrics.Observe("workqueue_queue_duration_seconds", seconds, {{"name", queue}});
  };
  return options;
}

base::Result<kube::ObjectKey> KeyOfSetting(const base::Settings& settings, const char* name) {
  const std::vector<std::string> parts = base::Split(settings.Text(name), '/');
  if (parts.size() != 2 || parts[0].empty() || parts[1].empty())
    return base::Error{base::Code::kInvalid, std::string(name) + ": \"" + settings.Text(name) +
                                                 "\" is not namespace/name"};
  return kube::ObjectKey{parts[0], parts[1]};
}

class Running : public RunningOperator {
 public:
  ~Running() override { Stop(); }
  base::Status Begin(const base::Settings& settings) {
    ASSIGN_OR_RETURN(kube::LeaseSettings lease, LeaseOf(settings));
    ASSIGN_OR_RETURN(kube::ClusterConfig config,
                     kube::FindClusterConfig(settings.Text("kubeconfig")));
    const std::string server = config.server;
    http::InitializeClientThread();
    kube::ClientSettings client = OurClient();
    budget_ = ReviewBudget(settings);
    const bool elects = !lease.key.name.empty();
    if (elects)
      client.write_allowance_ms = [this] { return lease_ ? lease_->WriteAllowanceMs() : 0; };
    ASSIGN_OR_RETURN(connection_,
                     kube::Connection::Make(std::move(config), std::move(client),
                                            "agent-memory-operator/" AGENT_MEMORY_VERSION));
    if (auto crds = CheckInstalledCrds(connection_->client(), settings.Bool("adopt-crds")); !crds)
      return base::Wrap("API server " + server, crds.error());
    ControllerOptions options = OptionsOf(settings, metrics_);
    ASSIGN_OR_RETURN(
        options.settings.foreign_pods,
        AwaitForeignPods({settings.Text("injection-mode"), settings.Text("injection-policy"),
                          settings.Text("injection-webhook")},
                         options.name_spaces));
    const std::string webhook = options.settings.foreign_pods.webhook;
    if (const ForeignPods& served = options.settings.foreign_pods; served.reason != "NotOffered")
      base::LogInfo("foreign pods", {{"by", !served.policy.empty() ? "policy " + served.policy
                                            : webhook.empty()      ? "nothing"
                                                                   : "webhook " + webhook},
                                     {"reason", served.reason},
                                     {"message", served.message}});
    controller_ = std::make_unique<Controller>(connection_->client(), std::move(options));
    if (elects) StandForElection(std::move(lease));  // before the first readiness probe
    if (!webhook.empty()) RETURN_IF_ERROR(ServeWebhook(settings, webhook));
    RETURN_IF_ERROR(Listen(settings.Text("admin")));
    controller_->Start();
    base::LogInfo("watching", {{"server", server}, {"namespaces", settings.List("namespaces")}});
    return {};
  }
  void Stop() final {
    const int64_t asked_ms = base::SystemClock().MonotonicMs();
    if (controller_) controller_->Stop(kDrainMs);
    if (webhook_) {
      // The Service routes here for a moment more: a refused call would prevent a pod's creation.
      const int64_t left_ms = asked_ms + kLingerMs - base::SystemClock().MonotonicMs();
      std::this_thread::sleep_for(std::chrono::milliseconds(std::max<int64_t>(0, left_ms)));
      webhook_->Stop();
    }
    if (leader_) leader_->Stop();  // releases the Lease after the last write
    if (admin_) admin_->Stop(1'000);
  }
  std::string admin_address() const override { return admin_->address(); }
  std::string webhook_address() const override { return webhook_ ? webhook_->address() : ""; }

 private:
  kube::ClientSettings OurClient() {
    kube::ClientSettings client;
    client.field_manager = kFieldManager;
    client.on_answer = [this](std::string_view verb, int status, double seconds) {
      metrics_.Count("rest_client_requests_total",
                     {{"method", std::string(verb)}, {"code", std::to_string(status)}});
      if (verb != "WATCH")
        metrics_.Observe("rest_client_request_duration_seconds", seconds,
                         {{"verb", std::string(verb)}});
    };
    return client;
  }
  // Waits, since Helm and kubectl may apply the policy, or the permission to read it, after the
  // Deployment. Ends in time for the kubelet's first probes.
  base::Result<ForeignPods> AwaitForeignPods(const InjectionWish& wish,
                                             const std::vector<std::string>& name_spaces) {
    const int64_t end_ms = base::SystemClock().MonotonicMs() + kPolicyWaitMs;
    for (;;) {
      auto found = ProbeInjection(connection_->client(), wish, name_spaces);
      const bool final =
          !found || (found->reason != "PolicyMissing" && found->reason != "WebhookMissing" &&
                     found->reason != "NotAllowed");
      if (final || base::SystemClock().MonotonicMs() >= end_ms) return found;
      std::this_thread::sleep_for(std::chrono::milliseconds(kPolicyAgainMs));
    }
  }
  // Lookups of Agents have their own client, which gives up before the API server does.
  base::Status ServeWebhook(const base::Settings& settings, const std::string& name) {
    WebhookOptions options;
    ASSIGN_OR_RETURN(options.keeper.secret, KeyOfSetting(settings, "webhook-secret"));
    options.listen = settings.Text("webhook-listen");
    options.budget = budget_;
    options.keeper.configurations = {{MutatingWebhooks(), name}};
    if (const std::string twin = settings.Text("validation-webhook"); !twin.empty())
      options.keeper.configurations.emplace_back(ValidatingWebhooks(), twin);
    options.keeper.rules = {settings.List("webhook-hosts"),
                            settings.Milliseconds("webhook-certificate-life")};
    if (options.keeper.rules.hosts.empty())
      return base::Error{
          base::Code::kInvalid,
          "webhook-hosts: empty; name the Service, agent-memory-operator.agents.svc"};
    options.keeper.may_write = [this] { return !lease_ || lease_->WriteAllowanceMs() > 0; };
    kube::ClientSettings asking = OurClient();
    asking.timeout_ms = kAskAgentMs;
    asking_client_ = connection_->NewClient(std::move(asking));
    ASSIGN_OR_RETURN(webhook_,
                     InjectionWebhook::Start(std::move(options), connection_->client(), metrics_,
                                             [this](const kube::ObjectKey& key) {
                                               return controller_->FindAgent(key, *asking_client_);
                                             }));
    return {};
  }
  // With its own client, since the Lease limits the writes of the other one and not its own.
  void StandForElection(kube::LeaseSettings lease) {
    lease_client_ = connection_->NewClient(kube::ForLease(OurClient(), lease));
    const telemetry::Labels labels = {{"name", lease.key.name}};
    metrics_.SetGauge("leader_election_master_status", 0, labels);
    lease_ = std::make_unique<kube::Lease>(*lease_client_, std::move(lease));
    leader_ = std::make_unique<kube::Leader>(
        *lease_,
        [this, labels](bool leads) {
          metrics_.SetGauge("leader_election_master_status", leads ? 1 : 0, labels);
          controller_->Lead(leads);
        },
        [this] { return controller_->MayLead(); });
    leader_->Start();
  }
  base::Status Ready() const {
    RETURN_IF_ERROR(controller_->Ready());
    if (webhook_) RETURN_IF_ERROR(webhook_->Ready());
    // By then the Lease of any other holder has expired as well.
    if (lease_ && lease_->FailingMs() > 2 * lease_->settings().duration_ms)
      return base::Error{base::Code::kUnavailable,
                         "the Lease " + lease_->settings().key.Text() +
                             " can be neither taken nor renewed: the log says why"};
    return {};
  }
  base::Status Listen(const std::string& address) {
    http::ServerOptions options;
    options.listen = address;
    options.name = "admin";
    options.workers = 2;
    telemetry::Instrument(options, metrics_);
    auto routes = telemetry::AdminRoutes(
        metrics_, [this] { return Ready(); }, budget_);
    for (http::Route& route : routes) {
      if (route.pattern != "/metrics") continue;
      route.handler = [this, render = route.handler](const http::Request& request) {
        {
          std::lock_guard lock(refreshing_);
          RefreshGauges();
        }
        return render(request);
      };
    }
    ASSIGN_OR_RETURN(admin_, http::Server::Start(http::Router(std::move(routes)), options));
    return {};
  }
  void RefreshGauges() {
    for (const Controller::Queue& queue : controller_->queues()) {
      const telemetry::Labels labels = {{"name", queue.name}}, ours = {{"controller", queue.name}};
      metrics_.SetGauge("workqueue_depth", static_cast<double>(queue.stats.depth), labels);
      metrics_.SetGauge("workqueue_longest_running_processor_seconds",
                        queue.stats.longest_running_s, labels);
      metrics_.SetGauge("workqueue_unfinished_work_seconds", queue.stats.unfinished_s, labels);
      RaiseTo("workqueue_adds_total", labels, queue.stats.adds);
      RaiseTo("workqueue_retries_total", labels, queue.stats.retries);
      metrics_.SetGauge("controller_runtime_max_concurrent_reconciles", queue.workers, ours);
      metrics_.SetGauge("controller_runtime_active_workers",
                        static_cast<double>(queue.stats.in_work), ours);
      RaiseTo("controller_runtime_reconcile_panics_total", ours, queue.stats.exceptions);
    }
    RefreshCaches();
  }
  void RefreshCaches() {
    std::map<telemetry::Labels, int64_t> ends;  // sums of the watches of all namespaces
    for (const auto& [plural, stats] : controller_->loop().reflector_stats())
      for (const auto& [reason, count] : stats.watch_ends)
        ends[{{"resource", plural}, {"reason", reason}}] += count;
    for (const auto& [labels, count] : ends)
      RaiseTo("agent_memory_operator_watch_ends_total", labels, count);
    for (const auto& [plural, cache] : controller_->loop().cache_stats()) {
      const telemetry::Labels labels = {{"resource", plural}};
      metrics_.SetGauge("agent_memory_operator_cache_objects", static_cast<double>(cache.objects),
                        labels);
      metrics_.SetGauge("agent_memory_operator_cache_bytes", static_cast<double>(cache.bytes),
                        labels);
    }
  }
  // Raises a counter to a value counted elsewhere. `refreshing_` keeps two scrapes from raising it
  // twice.
  void RaiseTo(std::string_view name, const telemetry::Labels& labels, int64_t value) {
    metrics_.Count(name, labels,
                   std::max(0.0, static_cast<double>(value) - metrics_.Value(name, labels)));
  }

  telemetry::Metrics metrics_;
  std::mutex refreshing_;
  std::unique_ptr<kube::Connection> connection_;
  std::unique_ptr<kube::KubeClient> lease_client_;
  std::unique_ptr<kube::Lease> lease_;
  std::unique_ptr<Controller> controller_;
  std::unique_ptr<kube::Leader> leader_;
  std::unique_ptr<kube::KubeClient> asking_client_;
  std::unique_ptr<InjectionWebhook> webhook_;
  std::shared_ptr<base::ByteBudget> budget_;
  std::unique_ptr<http::Server> admin_;
};

}  // namespace

base::Result<std::unique_ptr<RunningOperator>> RunningOperator::Start(
    const base::Settings& settings) {
  auto running = std::make_unique<Running>();
  RETURN_IF_ERROR(running->Begin(settings));
  return std::unique_ptr<RunningOperator>(std::move(running));
}

}  // namespace controller
