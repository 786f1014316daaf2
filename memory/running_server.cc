// Putting the memory server together.
#include "memory/running_server.h"

#include "lib/base/file.h"
#include "lib/http/server.h"
#include "lib/telemetry/instrument.h"
#include "memory/health.h"
#include "memory/routes.h"
#include "memory/tenants.h"

namespace memory {

using base::Result;

// In the order of construction; destroyed in reverse.
struct RunningServer::Parts {
  Parts(ServerSettings with, base::DirectoryLock taken)
      : settings(std::move(with)), lock(std::move(taken)) {}
  ServerSettings settings;
  base::DirectoryLock lock;
  telemetry::Metrics metrics;
  std::unique_ptr<Store> store;
  std::unique_ptr<Api> api;
  std::unique_ptr<HealthProbe> health;
  std::unique_ptr<http::Server> api_server, admin_server;
};

RunningServer::RunningServer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
RunningServer::~RunningServer() { Stop(); }

Result<std::unique_ptr<RunningServer>> RunningServer::Start(const ServerSettings& settings,
                                                            const base::Clock& clock) {
  RETURN_IF_ERROR(base::MakeDirectories(settings.data_dir));
  ASSIGN_OR_RETURN(base::DirectoryLock lock,
                   base::DirectoryLock::Take(settings.data_dir, settings.lock_wait_ms));
  auto parts = std::make_unique<Parts>(settings, std::move(lock));
  ASSIGN_OR_RETURN(std::string file, TenantFile(settings.data_dir, "default"));
  ASSIGN_OR_RETURN(parts->store, Store::Open(file, settings.store));
  parts->api = std::make_unique<Api>(Api{*parts->store, clock, parts->metrics});
  parts->health = std::make_unique<HealthProbe>(*parts->store, clock, settings.data_dir,
                                                settings.min_free_bytes);

  http::ServerOptions serving;
  serving.listen = settings.listen;
  serving.workers = settings.workers;
  serving.queue = settings.queue;
  telemetry::Instrument(serving, parts->metrics);
  parts->metrics.SetGauge("agent_memory_server_anonymous", settings.auth == "none" ? 1 : 0);
  ASSIGN_OR_RETURN(
      parts->api_server,
      http::Server::Start(http::Router(Routes(*parts->api, settings.max_stream_bytes)), serving));
  http::ServerOptions admin;
  admin.listen = settings.admin;
  admin.name = "admin";
  admin.workers = 2;
  admin.queue = 16;
  admin.max_connections = 64;
  ASSIGN_OR_RETURN(
      parts->admin_server,
      http::Server::Start(http::Router(AdminRoutes(*parts->health, *parts->store, parts->metrics)),
                          admin));
  return std::unique_ptr<RunningServer>(new RunningServer(std::move(parts)));
}

std::string RunningServer::api_address() const { return parts_->api_server->address(); }
std::string RunningServer::admin_address() const { return parts_->admin_server->address(); }
Store& RunningServer::store() { return *parts_->store; }

void RunningServer::Stop() {
  if (parts_->api_server) parts_->api_server->Stop(parts_->settings.drain_ms);
  parts_->api_server.reset();
  parts_->store->Close();
  if (parts_->admin_server) parts_->admin_server->Stop(0);
  parts_->admin_server.reset();
}

}  // namespace memory
