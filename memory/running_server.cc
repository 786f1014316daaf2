// Putting the memory server together.
#include "memory/running_server.h"

#include "lib/base/process/file.h"
#include "lib/base/process/memory_limit.h"
#include "lib/http/server/server.h"
#include "lib/http/server/stranger_guard.h"
#include "lib/telemetry/instrument.h"
#include "memory/identity/cluster_reviewer.h"
#include "memory/routes.h"
#include "memory/sqlite/engine/page_caches.h"
#include "memory/sqlite/engine/schema_guard.h"
#include "memory/sqlite/engine/soundness_checks.h"
#include "memory/upkeep/health.h"
#include "memory/upkeep/sweeper.h"
#include "memory/volume/space_guard.h"

namespace memory {

using base::Result;
using base::Status;

namespace {

// Of the container's memory; docs/operations.md has the sum of all shares.
constexpr int kCachePercent = 12, kBudgetPercent = 25;
constexpr int kPeerPercent = 25;  // of the latter, for one address's bodies while they arrive
constexpr int64_t kUsualMemory = 512 << 20;  // the chart's limit
constexpr size_t kAdminBudget = 2 << 20;     // so that /metrics is answered whatever the API holds

// Without identity nobody asks for a token, so a web page could call as well as an agent. Types are
// those of JSON and of what /import takes.
http::StrangerRules RulesFor(const ServerSettings& settings) {
  http::StrangerRules rules;
  rules.hosts = settings.hosts;
  rules.addresses = true;
  rules.origins = settings.allowed_origins;
  rules.loopback_origins = true;
  rules.body_types = {"application/json",        "application/x-ndjson", "text/csv",
                      "text/markdown",           "application/x-tar",    "application/vnd.sqlite3",
                      "application/octet-stream"};
  return rules;
}

void RefuseStrangers(http::ServerOptions& options, const ServerSettings& settings) {
  if (settings.auth != "none") return;
  options.before = options.at_head = [rules = RulesFor(settings)](const http::Request& request) {
    return http::RefuseStranger(request, rules);
  };
}

}  // namespace

// In the order of construction; destroyed in reverse.
struct RunningServer::Parts {
  Parts(ServerSettings with, base::DirectoryLock taken)
      : settings(std::move(with)), lock(std::move(taken)) {}
  ServerSettings settings;
  base::DirectoryLock lock;
  telemetry::Metrics metrics;
  std::unique_ptr<SpaceGuard> space;  // outlives what it guards
  Soundness soundness;                // outlives what tells it
  std::unique_ptr<telemetry::Tracer> tracer;
  std::unique_ptr<WayToCluster> cluster;
  std::unique_ptr<IdentityCheck> identities;
  std::unique_ptr<Tenants> tenants;
  std::unique_ptr<WriteBudgets> budgets;
  std::unique_ptr<Gate> gate;
  std::unique_ptr<HealthProbe> health;
  std::unique_ptr<SoundnessChecks> checks;
  std::unique_ptr<Sweeper> sweeper;
  std::unique_ptr<http::Server> api_server, admin_server;
};

// Prepares identities; with no `reviewer` given, from the API server.
Status RunningServer::AskTheCluster(Parts& parts, const base::Clock& clock,
                                    TokenReviewer* reviewer) {
  const ServerSettings& settings = parts.settings;
  if (!reviewer) {
    ASSIGN_OR_RETURN(parts.cluster,
                     WayToCluster::Make(settings.kubeconfig, settings.audiences, clock));
    reviewer = parts.cluster.get();
  }
  IdentityCheck::Options asking;
  asking.audiences = settings.audiences;
  if (!settings.anonymous_namespace.empty()) {
    ASSIGN_OR_RETURN(Role role, ParseRole(settings.anonymous_role));
    asking.anonymous = Caller{settings.anonymous_namespace, "", role};
  }
  parts.identities =
      std::make_unique<IdentityCheck>(*reviewer, clock, parts.metrics, std::move(asking));
  return {};
}

RunningServer::RunningServer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
RunningServer::~RunningServer() { Stop(); }

Result<std::unique_ptr<RunningServer>> RunningServer::Start(const ServerSettings& settings,
                                                            const base::Clock& clock,
                                                            TokenReviewer* reviewer) {
  RETURN_IF_ERROR(base::MakeDirectories(settings.data_dir));
  ASSIGN_OR_RETURN(base::DirectoryLock lock,
                   base::DirectoryLock::Take(settings.data_dir, settings.lock_wait_ms));
  RETURN_IF_ERROR(RefuseNewerSchemas(settings.data_dir));
  auto parts = std::make_unique<Parts>(settings, std::move(lock));
  parts->space = std::make_unique<SpaceGuard>(
      settings.data_dir, SpaceGuard::Limits{settings.ballast_bytes, settings.min_free_bytes},
      clock);
  parts->settings.store.space = parts->space.get();
  parts->settings.store.on_damage = [soundness = &parts->soundness](const std::string& file,
                                                                    const base::Error& error) {
    soundness->Meet(file, error);
  };
  parts->settings.store.on_read_cut_off = [metrics = &parts->metrics](const char* limit) {
    metrics->Count("agent_memory_server_reads_cut_off_total", {{"limit", limit}});
  };
  parts->settings.store.on_erased = [metrics = &parts->metrics](int64_t deletes) {
    metrics->Count("agent_memory_server_erasures_total", {}, static_cast<double>(deletes));
  };
  ASSIGN_OR_RETURN(parts->tracer, telemetry::MakeTracer(settings.traces, parts->metrics));
  parts->settings.store.clock = &clock;
  LimitPageCaches(
      base::ShareOfMemory(settings.cache_memory, base::MemoryLimit(), kCachePercent, kUsualMemory));
  parts->tenants =
      std::make_unique<Tenants>(settings.data_dir, parts->settings.store, settings.open_tenants);
  if (settings.auth == "kubernetes") {
    RETURN_IF_ERROR(AskTheCluster(*parts, clock, reviewer));
  } else {
    // The one tenant there is: a file that cannot be opened is said now, not to the first caller.
    ASSIGN_OR_RETURN(std::shared_ptr<Store> opened, parts->tenants->Take(kEverybody));
  }
  parts->budgets = std::make_unique<WriteBudgets>(settings.budgets, clock);
  parts->gate = std::make_unique<Gate>(parts->identities.get(), *parts->tenants, clock,
                                       parts->metrics, parts->budgets.get());
  parts->health =
      std::make_unique<HealthProbe>(*parts->tenants, clock, *parts->space, parts->soundness);
  parts->checks = std::make_unique<SoundnessChecks>(*parts->tenants, parts->soundness, clock,
                                                    parts->metrics, settings.check_every_ms);
  parts->checks->Start();

  http::ServerOptions serving;
  serving.listen = settings.listen;
  serving.workers = settings.workers;
  serving.waiting_workers = 2 * settings.workers;  // what waits together is committed together
  serving.queue = settings.queue;
  serving.budget = std::make_shared<base::ByteBudget>(base::ShareOfMemory(
      settings.memory_budget, base::MemoryLimit(), kBudgetPercent, kUsualMemory));
  serving.peer_percent = kPeerPercent;
  serving.at_head = [gate = parts->gate.get()](const http::Request& request) {
    return gate->RefuseAtHead(request);
  };
  RefuseStrangers(serving, settings);
  telemetry::Instrument(serving, parts->metrics, parts->tracer.get());
  const bool anybody = settings.auth == "none" || !settings.anonymous_namespace.empty();
  parts->metrics.SetGauge("agent_memory_server_anonymous", anybody ? 1 : 0);
  ASSIGN_OR_RETURN(
      parts->api_server,
      http::Server::Start(http::Router(Routes(*parts->gate, settings.max_stream_bytes)), serving));
  http::ServerOptions admin;
  admin.listen = settings.admin;
  admin.name = "admin";
  admin.workers = 2;
  admin.queue = 16;
  admin.max_connections = 64;
  admin.budget = std::make_shared<base::ByteBudget>(kAdminBudget);
  RefuseStrangers(admin, settings);
  ASSIGN_OR_RETURN(
      parts->admin_server,
      http::Server::Start(
          http::Router(AdminRoutes(
              *parts->health, *parts->tenants, parts->metrics, settings.store.quota,
              [cluster = parts->cluster.get()] { return cluster && cluster->ByKeys(); },
              serving.budget)),
          admin));
  parts->sweeper =
      std::make_unique<Sweeper>(*parts->tenants, parts->metrics, settings.retention.interval_ms);
  return std::unique_ptr<RunningServer>(new RunningServer(std::move(parts)));
}

std::string RunningServer::api_address() const { return parts_->api_server->address(); }
std::string RunningServer::admin_address() const { return parts_->admin_server->address(); }
Tenants& RunningServer::tenants() { return *parts_->tenants; }

void RunningServer::Stop() {
  if (parts_->api_server) parts_->api_server->Stop(parts_->settings.drain_ms);
  parts_->api_server.reset();
  parts_->checks->Stop();
  parts_->sweeper.reset();
  parts_->tenants->Close();
  if (parts_->admin_server) parts_->admin_server->Stop(0);
  parts_->admin_server.reset();
}

}  // namespace memory
