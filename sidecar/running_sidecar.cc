// Wires the components together; the only place that does.
#include "sidecar/running_sidecar.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>

#include "lib/base/process/log.h"
#include "lib/base/process/memory_limit.h"
#include "lib/base/process/shutdown.h"
#include "lib/http/server/cors.h"
#include "lib/http/server/cross_origin_guard.h"
#include "lib/http/server/server.h"
#include "lib/telemetry/instrument.h"
#include "lib/telemetry/metrics.h"
#include "lib/telemetry/trace_export.h"
#include "sidecar/mcp/endpoint.h"
#include "sidecar/policy/policy_watch.h"
#include "sidecar/recall/recall.h"
#include "sidecar/routes/activity.h"
#include "sidecar/routes/audit_routes.h"
#include "sidecar/routes/conversation_host.h"
#include "sidecar/routes/erasure_routes.h"
#include "sidecar/routes/handlers.h"
#include "sidecar/routes/injection_routes.h"
#include "sidecar/routes/memory_routes.h"
#include "sidecar/routes/outbox_routes.h"
#include "sidecar/routes/status_routes.h"
#include "sidecar/session/stop.h"
#include "sidecar/session/upkeep.h"
#include "sidecar/turn/hooks.h"
#include "sidecar/turn/rule_counters.h"
#include "sidecar/turn/turn.h"
#include "sidecar/upstream/delivery.h"
#include "sidecar/upstream/memory_servers.h"
#include "sidecar/upstream/retention_updates.h"

namespace sidecar {
namespace {

constexpr int kDiskFailureExit = 74;  // sysexits: input/output error
constexpr int64_t kRequestGraceMs = 3'000;
constexpr int kBudgetPercent = 40;           // of the memory limit; an idle sidecar needs the rest
constexpr int64_t kUsualMemory = 128 << 20;  // the operator's default limit for a sidecar
constexpr size_t kAdminBudget = 2 << 20;     // of its own: agents cannot exhaust it
constexpr size_t kProbeWorkers = 2, kAdminWorkers = 2, kAdminQueue = 32, kAgentConnections = 64;

Delivery::Options DeliveryOptions(const SidecarSettings& settings, const base::Clock& clock,
                                  telemetry::Tracer& tracer, SavedIds& saved) {
  Delivery::Options options;
  options.tracer = &tracer;
  options.saved = &saved;
  options.retry_longest_ms = settings.retry_longest_ms;
  options.seed = static_cast<uint64_t>(clock.NowMs());
  return options;
}

SessionUpkeep::Options UpkeepOptions(const SidecarSettings& settings,
                                     std::function<void()> each_round,
                                     decltype(SessionUpkeep::Options::sweep_fields) sweep_fields) {
  const auto volume_bytes = [directory = settings.data_directory]() -> int64_t {
    std::error_code error;
    const auto space = std::filesystem::space(directory, error);
    return error ? 0 : static_cast<int64_t>(space.capacity);
  };
  return {settings.session_idle_ms,
          {settings.growth, volume_bytes},
          settings.outbox,
          std::move(each_round),
          std::move(sweep_fields)};
}

}  // namespace

// In the order of construction; destroyed in reverse.
struct RunningSidecar::Parts {
  Parts(const SidecarSettings& s, const base::Clock& c, std::unique_ptr<State> opened,
        std::unique_ptr<telemetry::Metrics> counts, std::unique_ptr<telemetry::Tracer> traces)
      : settings(s),
        clock(c),
        metrics(std::move(counts)),
        tracer(std::move(traces)),
        state(std::move(opened)),
        servers({.token_file = s.token_file,
                 .token_is_for = [this](const std::string& url) { return TokenIsFor(url); },
                 .on_back = [this] { delivery.ServerIsBack(); }},
                c),
        delivery(
            *state, servers.Sender(), [this] { return ServerUrl(); }, c,
            DeliveryOptions(s, c, *tracer, saved_ids)),
        rules(*metrics),
        retention(
            *state, s.outbox, c, [this] { return InForce(); }, Waker()),
        policies(s.policy, *state, c,
                 [this] {
                   rules.Follow(policies.Current()->rules.Names());
                   retention.Publish();
                   delivery.ServerIsBack();
                 }),
        recall(servers, c, {.deadline_ms = s.recall_timeout_ms}),
        turn({*state, policies, recall, rules, *metrics, *tracer, c, s.outbox, saved_ids, Waker()}),
        hooks(turn, *metrics, c),
        working_memory(*state, c, s.conversation_ttl_ms),
        agent_memory(*state, servers, c, s.outbox, delivery),
        dead_letters(*state, policies, s.outbox, Waker()),
        upkeep(
            *state, policies, *metrics, c,
            UpkeepOptions(
                s, [this] { retention.PublishRefused(); },
                [this](const auto& stopping) { return conversation_host.SweepFields(stopping); }),
            Waker()),
        memory(agent_memory, policies),
        mcp(policies, agent_memory, working_memory, c, std::max<size_t>(1, s.workers / 2)),
        injections(*state, policies, recall),
        conversation_host(*state, working_memory, policies, c, s.outbox, s.checkpoints_kept,
                          Waker()),
        audit(*state, policies),
        erasure(*state, policies, settings.erase),
        activity(c),
        status(*state, policies, delivery, servers, rules, activity, *metrics),
        budget(std::make_shared<base::ByteBudget>(base::ShareOfMemory(
            s.memory_budget, base::MemoryLimit(), kBudgetPercent, kUsualMemory))) {}
  // Stops all threads before any member is destroyed, since threads call other members.
  ~Parts() {
    api.reset();
    admin.reset();
    upkeep.Stop();
    policies.Stop();
    delivery.Stop();
  }

  std::function<void()> Waker() {
    return [this] { delivery.Wake(); };
  }
  std::optional<api::Policy> InForce() const {
    const auto now = policies.Current();
    return now ? std::optional(now->policy) : std::nullopt;
  }
  std::string ServerUrl() const {
    const auto policy = policies.Current();
    return policy ? policy->policy.server_url : "";
  }
  // Without an audience the server is outside of the cluster and gets no token.
  bool TokenIsFor(const std::string& url) const {
    const auto policy = policies.Current();
    return policy && !policy->policy.audience.empty() && policy->policy.server_url == url;
  }
  http::Router AgentRouter() {
    std::vector<http::Route> routes = hooks.Routes();
    for (const auto& named : {conversation_host.Routes(), memory.Routes(), injections.Routes()}) {
      std::ranges::move(WithRedactedNames(named, policies), std::back_inserter(routes));
    }
    for (const auto& more : {mcp.Routes(), dead_letters.Routes(), status.AgentRoutes(),
                             audit.Routes(), erasure.Routes()}) {
      routes.insert(routes.end(), more.begin(), more.end());
    }
    return http::Router(activity.Watched(std::move(routes)));
  }
  base::Status Listen();

  const SidecarSettings settings;
  const base::Clock& clock;
  const int64_t started_ms = clock.NowMs();
  const std::unique_ptr<telemetry::Metrics> metrics;
  const std::unique_ptr<telemetry::Tracer> tracer;
  std::unique_ptr<State> state;
  MemoryServers servers;
  SavedIds saved_ids;  // outlives delivery and turn, which use it
  Delivery delivery;
  RuleCounters rules;
  RetentionPublisher retention;
  PolicyWatch policies;
  Recall recall;
  Turn turn;
  Hooks hooks;
  WorkingMemory working_memory;
  AgentMemory agent_memory;
  OutboxRoutes dead_letters;
  SessionUpkeep upkeep;
  MemoryRoutes memory;
  McpEndpoint mcp;
  InjectionRoutes injections;
  ConversationHost conversation_host;
  AuditRoutes audit;
  ErasureRoutes erasure;
  Activity activity;
  StatusRoutes status;
  const std::shared_ptr<base::ByteBudget> budget;
  std::unique_ptr<http::Server> admin, api;
  bool stopped = false;
};

base::Status RunningSidecar::Parts::Listen() {
  http::ServerOptions agent;
  agent.listen = settings.listen;
  agent.name = "api";
  agent.workers = settings.workers;
  // Separate workers, so that no hook waits behind calls to the memory server.
  agent.waiting_workers = settings.workers;
  agent.max_connections = kAgentConnections;
  agent.budget = budget;
  agent.copies_of_bodies = kCopiesOfBodies;
  http::CrossOriginRules origin_rules;
  origin_rules.origins = settings.allowed_origins;
  agent.before = agent.at_head = [origin_rules](const http::Request& request) {
    return http::RefuseCrossOrigin(request, origin_rules);
  };
  http::AllowOrigins(agent, settings.allowed_origins);
  telemetry::Instrument(agent, *metrics, tracer.get());
  ASSIGN_OR_RETURN(api, http::Server::Start(AgentRouter(), agent));

  // Starts last: after a successful probe the agent starts and calls the agent's listener.
  http::ServerOptions options;
  options.listen = settings.admin;
  options.name = "admin";
  options.workers = kProbeWorkers;
  options.waiting_workers = kAdminWorkers;
  options.queue = kAdminQueue;
  options.budget = std::make_shared<base::ByteBudget>(kAdminBudget);
  // Loopback means a user's machine, where web pages in a browser must not call the port.
  if (http::IsLoopbackAddress(settings.admin))
    options.before = [](const http::Request& request) {
      return http::RefuseCrossOrigin(request, {});
    };
  telemetry::Instrument(options, *metrics);
  ASSIGN_OR_RETURN(admin, http::Server::Start(http::Router(status.AdminRoutes(budget)), options));
  return {};
}

base::Result<std::unique_ptr<RunningSidecar>> RunningSidecar::Start(const SidecarSettings& settings,
                                                                    const base::Clock& clock) {
  ASSIGN_OR_RETURN(auto state, State::Open(settings.data_directory, [](const base::Error& error) {
                     base::RequestShutdown(kDiskFailureExit, error.message);
                   }));
  auto metrics = std::make_unique<telemetry::Metrics>();
  ASSIGN_OR_RETURN(auto tracer, telemetry::MakeTracer(settings.traces, *metrics));
  auto parts = std::make_unique<Parts>(settings, clock, std::move(state), std::move(metrics),
                                       std::move(tracer));
  parts->policies.RestoreLastGood();
  parts->policies.Poll();
  parts->retention.Publish();
  parts->policies.Start(settings.policy_interval_ms);
  parts->delivery.Start();
  parts->upkeep.Start();
  RETURN_IF_ERROR(parts->Listen());
  return std::unique_ptr<RunningSidecar>(new RunningSidecar(std::move(parts)));
}

RunningSidecar::RunningSidecar(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

RunningSidecar::~RunningSidecar() { Stop(); }

std::string RunningSidecar::api_address() const { return parts_->api->address(); }

std::string RunningSidecar::admin_address() const { return parts_->admin->address(); }

int64_t RunningSidecar::Stop() {
  if (std::exchange(parts_->stopped, true)) return 0;
  parts_->api->Stop(kRequestGraceMs);
  parts_->upkeep.Stop();
  parts_->policies.Stop();
  parts_->delivery.Stop();
  const auto policy = parts_->policies.Current();
  if (policy)
    StopSessions(*parts_->state, {policy->policy, parts_->settings.outbox, parts_->clock.NowMs()});
  // No later sidecar delivers what a task leaves: Flush uses the whole drain timeout.
  TerminationReport words;
  words.task = policy && policy->policy.mode == "task";
  words.session = words.task ? LastSession(*parts_->state, parts_->started_ms) : "";
  const int64_t pending = parts_->delivery.Flush(parts_->settings.drain_timeout_ms, words.task);
  words.undelivered = pending;
  WriteTerminationMessage(words, parts_->settings.termination_log);
  if (const auto kept = parts_->conversation_host.KeepFields(); !kept)
    base::LogWarn("reads of working memory since a minute may not count for its expiry",
                  {{"reason", kept.error().message}});
  parts_->admin->Stop(0);
  parts_->state->Close();
  return pending;
}

}  // namespace sidecar
