// Assembles the memory server.
#include "memory/running_server.h"

#include <algorithm>
#include <iterator>

#include "lib/base/process/file.h"
#include "lib/base/process/memory_limit.h"
#include "lib/http/server/cors.h"
#include "lib/http/server/cross_origin_guard.h"
#include "lib/http/server/server.h"
#include "lib/telemetry/instrument.h"
#include "memory/console/console_routes.h"
#include "memory/console/console_sign_in.h"
#include "memory/endpoint/insights/endpoint_deriver.h"
#include "memory/identity/access_check.h"
#include "memory/identity/cluster_reviewer.h"
#include "memory/identity/share_file.h"
#include "memory/routes.h"
#include "memory/server_engine.h"
#include "memory/upkeep/derive_rounds.h"
#include "memory/upkeep/health.h"
#include "memory/upkeep/ingest_rounds.h"
#include "memory/upkeep/remote_rounds.h"
#include "memory/upkeep/sweeper.h"

namespace memory {

using base::Result;
using base::Status;

namespace {

// Of the container's memory; docs/operations/limits.md has the sum of all shares.
constexpr int kBudgetPercent = 25;
constexpr int kPeerPercent = 25;          // of the latter, for arriving bodies of one address
constexpr size_t kComputingWorkers = 2;   // fewer than the readers of a tenant
constexpr size_t kAskedTurns = 4;         // concurrent, of different tenants
constexpr size_t kAdminBudget = 2 << 20;  // separate, so that /metrics answers under load

// Without authentication a web page could call like an agent. The types are those of JSON and of
// imports.
http::CrossOriginRules RulesFor(const ServerSettings& settings) {
  http::CrossOriginRules rules;
  rules.hosts = settings.hosts;
  rules.addresses = true;
  rules.origins = settings.allowed_origins;
  rules.loopback_origins = true;
  rules.body_types = {"application/json",        "application/x-ndjson", "text/csv",
                      "text/markdown",           "application/x-tar",    "application/vnd.sqlite3",
                      "application/octet-stream"};
  return rules;
}

void GuardOrigins(http::ServerOptions& options, const ServerSettings& settings) {
  if (settings.auth != "none") return;
  options.before = options.at_head = [rules = RulesFor(settings)](const http::Request& request) {
    return http::RefuseCrossOrigin(request, rules);
  };
  http::AllowOrigins(options, settings.allowed_origins);
}

// `sign_in`: null with auth none.
void AddConsole(const ServerSettings& settings, ConsoleSignIn* sign_in,
                std::vector<http::Route>& routes) {
  ConsoleFacts facts;
  facts.auth = settings.auth;
  facts.everybody = settings.auth == "none" && !http::IsLoopbackAddress(settings.listen);
  if (sign_in) {
    facts.audience = settings.audiences.front();
    facts.who = [sign_in](const http::Request& request) { return sign_in->Who(request); };
    std::ranges::move(sign_in->Routes(), std::back_inserter(routes));
  }
  std::ranges::move(ConsoleRoutes(facts), std::back_inserter(routes));
}

}  // namespace

// In the order of construction; destroyed in reverse.
struct RunningServer::Parts {
  Parts(ServerSettings with, base::DirectoryLock taken)
      : settings(std::move(with)), lock(std::move(taken)) {}
  ServerSettings settings;
  base::DirectoryLock lock;
  telemetry::Metrics metrics;
  std::unique_ptr<telemetry::Tracer> tracer;
  std::unique_ptr<ClusterTokenReviewer> cluster;
  std::unique_ptr<IdentityCheck> identities;
  std::unique_ptr<AccessReviewer> cluster_access;
  std::unique_ptr<SharedAccess> shared_access;
  std::unique_ptr<Engine> engine;
  std::unique_ptr<WriteBudgets> budgets;
  std::shared_ptr<base::ByteBudget> memory;  // of requests and of work in the background
  std::unique_ptr<Gate> gate;
  std::unique_ptr<ConsoleSignIn> sign_in;
  std::unique_ptr<HealthProbe> health;
  std::unique_ptr<Sweeper> sweeper;
  std::unique_ptr<RemoteRounds> remote_rounds;
  std::unique_ptr<ChatEndpoint> chat;
  std::unique_ptr<Extractor> extractor;
  std::unique_ptr<IngestRounds> ingest_rounds;
  std::unique_ptr<Deriver> deriver;
  std::unique_ptr<DeriveRounds> derive_rounds;
  std::unique_ptr<http::Server> api_server, aegis_server, admin_server;
};

// `tokens` null: both are the cluster's.
Status RunningServer::MakeIdentityCheck(Parts& parts, const base::Clock& clock,
                                        TokenReviewer* tokens, AccessReviewer* access) {
  const ServerSettings& settings = parts.settings;
  if (!tokens) {
    ASSIGN_OR_RETURN(parts.cluster,
                     ClusterTokenReviewer::Make(settings.kubeconfig, settings.audiences, clock));
    parts.cluster_access = std::make_unique<ApiAccessReviewer>(parts.cluster->client());
    tokens = parts.cluster.get();
    access = parts.cluster_access.get();
  }
  parts.shared_access =
      std::make_unique<AccessCheck>(access, clock, parts.metrics, AccessCheck::Options());
  IdentityCheck::Options asking;
  asking.audiences = settings.audiences;
  if (!settings.anonymous_namespace.empty()) {
    ASSIGN_OR_RETURN(Role role, ParseRole(settings.anonymous_role));
    asking.anonymous = Caller{settings.anonymous_namespace, "", role};
  }
  parts.identities =
      std::make_unique<IdentityCheck>(*tokens, clock, parts.metrics, std::move(asking));
  return {};
}

RunningServer::RunningServer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
RunningServer::~RunningServer() { Stop(); }

Result<std::unique_ptr<RunningServer>> RunningServer::Start(const ServerSettings& settings,
                                                            const base::Clock& clock,
                                                            TokenReviewer* tokens,
                                                            AccessReviewer* access) {
  RETURN_IF_ERROR(base::MakeDirectories(settings.data_dir));
  ASSIGN_OR_RETURN(base::DirectoryLock lock,
                   base::DirectoryLock::Acquire(settings.data_dir, settings.lock_wait_ms));
  auto parts = std::make_unique<Parts>(settings, std::move(lock));
  ASSIGN_OR_RETURN(parts->tracer, telemetry::MakeTracer(settings.traces, parts->metrics));
  ASSIGN_OR_RETURN(parts->chat,
                   MakeChat(settings.extraction, settings.data_dir, clock, parts->metrics));
  parts->extractor = MakeExtractor(parts->chat.get());
  ASSIGN_OR_RETURN(parts->engine, StartEngine(settings, clock, parts->metrics));
  if (settings.auth == "kubernetes") {
    RETURN_IF_ERROR(MakeIdentityCheck(*parts, clock, tokens, access));
  } else {
    // With one tenant an unusable file is reported at the start, not to the first caller. A
    // database may come later.
    if (auto opened = parts->engine->Open(kEverybody);
        !opened &&
        !(settings.engine.OnPostgres() && opened.error().code == base::Code::kUnavailable))
      return opened.error();
    ASSIGN_OR_RETURN(parts->shared_access, ShareFile::Open(settings.share_file, clock));
  }
  parts->budgets = std::make_unique<WriteBudgets>(settings.budgets, clock);
  parts->gate =
      std::make_unique<Gate>(parts->identities.get(), *parts->engine, clock, parts->metrics,
                             parts->budgets.get(), parts->shared_access.get());
  parts->health = std::make_unique<HealthProbe>(*parts->engine, clock);

  http::ServerOptions serving;
  serving.listen = settings.listen;
  serving.workers = settings.workers;
  serving.waiting_workers = 2 * settings.workers;  // concurrent writes share a commit
  serving.queue = settings.queue;
  serving.computing_workers = kComputingWorkers;
  parts->memory = std::make_shared<base::ByteBudget>(base::ShareOfMemory(
      settings.memory_budget, base::MemoryLimit(), kBudgetPercent, kUsualMemory));
  serving.budget = parts->memory;
  serving.peer_percent = kPeerPercent;
  serving.at_head = [gate = parts->gate.get()](const http::Request& request) {
    return gate->RefuseAtHead(request);
  };
  GuardOrigins(serving, settings);
  if (settings.ui && parts->identities) {
    parts->sign_in = std::make_unique<ConsoleSignIn>(*parts->identities, clock);
    parts->sign_in->Guard(serving);
  }
  telemetry::Instrument(serving, parts->metrics, parts->tracer.get());
  const bool anybody = settings.auth == "none" || !settings.anonymous_namespace.empty();
  parts->metrics.SetGauge("agent_memory_server_anonymous", anybody ? 1 : 0);
  std::vector<http::Route> routes = Routes(*parts->gate, settings.max_stream_bytes);
  if (settings.ui) AddConsole(settings, parts->sign_in.get(), routes);
  ASSIGN_OR_RETURN(parts->api_server,
                   http::Server::Start(http::Router(std::move(routes)), serving));
  if (!settings.aegis_listen.empty()) {
    http::ServerOptions aegis = serving;  // the same budget of bytes
    aegis.listen = settings.aegis_listen;
    aegis.name = "aegis";
    ASSIGN_OR_RETURN(parts->aegis_server,
                     http::Server::Start(http::Router(AegisRoutes(*parts->gate)), aegis));
  }
  http::ServerOptions admin;
  admin.listen = settings.admin;
  admin.name = "admin";
  admin.workers = 2;
  admin.queue = 16;
  admin.max_connections = 64;
  admin.budget = std::make_shared<base::ByteBudget>(kAdminBudget);
  GuardOrigins(admin, settings);
  ASSIGN_OR_RETURN(
      parts->admin_server,
      http::Server::Start(
          http::Router(AdminRoutes(
              *parts->health, *parts->engine, parts->metrics, settings.store.quota,
              [cluster = parts->cluster.get()] { return cluster && cluster->ByKeys(); },
              serving.budget, settings.embeddings.on && !settings.embeddings.endpoint.url.empty())),
          admin));
  parts->sweeper =
      std::make_unique<Sweeper>(*parts->engine, parts->metrics, settings.retention.interval_ms);
  parts->ingest_rounds =
      std::make_unique<IngestRounds>(*parts->engine, *parts->extractor, parts->metrics,
                                     parts->chat ? kAskedTurns : 1, parts->memory.get());
  if (settings.extraction.Derives()) {
    parts->deriver = std::make_unique<EndpointDeriver>(*parts->chat);
    parts->derive_rounds = std::make_unique<DeriveRounds>(*parts->engine, *parts->deriver,
                                                          parts->metrics, parts->memory.get());
  }
  if (settings.embeddings.on && !settings.embeddings.endpoint.url.empty())
    parts->remote_rounds = std::make_unique<RemoteRounds>(*parts->engine);
  return std::unique_ptr<RunningServer>(new RunningServer(std::move(parts)));
}

std::string RunningServer::api_address() const { return parts_->api_server->address(); }
std::string RunningServer::admin_address() const { return parts_->admin_server->address(); }
std::string RunningServer::aegis_address() const {
  return parts_->aegis_server ? parts_->aegis_server->address() : "";
}
Engine& RunningServer::engine() { return *parts_->engine; }

void RunningServer::Stop() {
  if (parts_->api_server) parts_->api_server->Stop(parts_->settings.drain_ms);
  parts_->api_server.reset();
  if (parts_->aegis_server) parts_->aegis_server->Stop(parts_->settings.drain_ms);
  parts_->aegis_server.reset();
  parts_->derive_rounds.reset();
  parts_->ingest_rounds.reset();
  parts_->remote_rounds.reset();
  parts_->sweeper.reset();
  parts_->engine->Close();
  if (parts_->admin_server) parts_->admin_server->Stop(0);
  parts_->admin_server.reset();
}

}  // namespace memory
