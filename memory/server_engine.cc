// Shares of the memory limit, and the host of commands.
#include "memory/server_engine.h"

#include <filesystem>

#include "lib/base/process/file.h"
#include "lib/base/process/log.h"
#include "lib/base/process/memory_limit.h"
#include "lib/base/text/digest.h"
#include "memory/sqlite/engine/postgres_option.h"
#include "memory/sqlite/engine/sqlite_engine.h"
#include "memory/sqlite/moving/tenant_files.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;

namespace {

constexpr int kCachePercent = 12;  // docs/operations/limits.md has the sum of all shares

class UnservedMemory : public OpenMemory {
 public:
  explicit UnservedMemory(base::DirectoryLock lock) : lock_(std::move(lock)) {}
  ~UnservedMemory() override {
    store_.reset();
    if (engine_) engine_->Close();
  }
  base::Status Open(const ServerSettings& settings, const base::Clock& clock,
                    const std::string& tenant) {
    ASSIGN_OR_RETURN(engine_, StartEngine(settings, clock, metrics_));
    ASSIGN_OR_RETURN(store_, engine_->Open(tenant));
    return {};
  }
  Store& store() override { return *store_; }

 private:
  const base::DirectoryLock lock_;
  telemetry::Metrics metrics_;
  std::unique_ptr<Engine> engine_;
  std::shared_ptr<Store> store_;
};

Result<StoreOptions> StoreOf(const ServerSettings& settings, const base::Clock& clock,
                             telemetry::Metrics& metrics) {
  StoreOptions store = settings.store;
  store.clock = &clock;
  store.decay_clock = std::make_shared<const base::AgingClock>(clock, 0);
  store.derives = settings.extraction.Derives();
  if (settings.embeddings.on) store.embedder = MakeEmbedder(settings.embeddings);
  ASSIGN_OR_RETURN(store.remote, MakeRemoteEmbedder(settings.embeddings, clock, metrics));
  return store;
}

void WarnOfFiles(const std::string& data_dir) {
  if (!AnyUnmoved(data_dir)) return;
  base::LogWarn(
      "data-dir has memories in files, which --store postgres does not read; move them "
      "with agent-memory-server migrate",
      {{"data-dir", data_dir}});
}

}  // namespace

Result<std::unique_ptr<Engine>> StartEngine(const ServerSettings& settings,
                                            const base::Clock& clock, telemetry::Metrics& metrics) {
  ASSIGN_OR_RETURN(StoreOptions store, StoreOf(settings, clock, metrics));
  if (const EngineSettings& engine = settings.engine; engine.OnPostgres()) {
    WarnOfFiles(settings.data_dir);
    return StartPostgres({engine.dsn_file, settings.data_dir, engine.require_sync,
                          engine.connections, settings.open_tenants, std::move(store)},
                         metrics);
  }
  SqliteEngine::Options options;
  options.directory = settings.data_dir;
  options.open_tenants = settings.open_tenants;
  options.space = {settings.ballast_bytes, settings.min_free_bytes};
  options.cache_bytes = static_cast<int64_t>(
      base::ShareOfMemory(settings.cache_memory, base::MemoryLimit(), kCachePercent, kUsualMemory));
  options.check_every_ms = settings.check_every_ms;
  options.store = std::move(store);
  ASSIGN_OR_RETURN(std::unique_ptr<Engine> engine,
                   SqliteEngine::Start(std::move(options), metrics));
  return engine;
}

Result<std::unique_ptr<OpenMemory>> OpenUnservedMemory(const ServerSettings& settings,
                                                       const base::Clock& clock,
                                                       const std::string& tenant, bool make) {
  if (settings.engine.OnPostgres()) {
    return Error{Code::kInvalid,
                 "store: export and import without a server read files; with --store postgres use "
                 "'agent-memory export --url URL' and 'agent-memory import --url URL'"};
  }
  std::error_code unknown;
  const auto file = std::filesystem::path(settings.data_dir) / base::Sha256Hex(tenant);
  if (!make && !std::filesystem::exists(file, unknown)) {
    return Error{Code::kNotFound,
                 "data-dir " + settings.data_dir + " has no memory of tenant \"" + tenant + "\""};
  }
  RETURN_IF_ERROR(base::MakeDirectories(settings.data_dir));
  ASSIGN_OR_RETURN(base::DirectoryLock lock,
                   base::DirectoryLock::Acquire(settings.data_dir, settings.lock_wait_ms));
  auto memory = std::make_unique<UnservedMemory>(std::move(lock));
  RETURN_IF_ERROR(memory->Open(settings, clock, tenant));
  return std::unique_ptr<OpenMemory>(std::move(memory));
}

}  // namespace memory
