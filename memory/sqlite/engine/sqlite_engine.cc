// What the engine has beside its stores: the volume, and checks for corruption.
#include "memory/sqlite/engine/sqlite_engine.h"

#include <chrono>
#include <filesystem>

#include "lib/base/process/log.h"
#include "lib/sqlite/page_cache.h"
#include "memory/model/embedded_text.h"
#include "memory/sqlite/engine/schema_guard.h"
#include "memory/sqlite/tables/schema.h"
#include "memory/store/embedder.h"

namespace memory {

using base::Result;
using base::Status;

namespace {

struct FileSizes {
  int64_t tenants = 0, database_bytes = 0, log_bytes = 0;
};

// The bytes of all tenants.
FileSizes SizesIn(const std::string& directory) {
  FileSizes sizes;
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(directory, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    std::error_code gone;
    const auto bytes = static_cast<int64_t>(entry->file_size(gone));
    if (gone) continue;
    const bool log = name.ends_with("-wal");
    if (name.size() != kTenantFileDigits + (log ? 4 : 0)) continue;  // lock, names.json
    (log ? sizes.log_bytes : sizes.database_bytes) += bytes;
    if (!log) ++sizes.tenants;
  }
  return sizes;
}

}  // namespace

Result<std::unique_ptr<SqliteEngine>> SqliteEngine::Start(Options options,
                                                          telemetry::Metrics& metrics) {
  RETURN_IF_ERROR(RefuseNewerSchemas(options.directory));
  sqlite::SetPageCacheLimit(static_cast<size_t>(options.cache_bytes));
  return std::unique_ptr<SqliteEngine>(new SqliteEngine(options, metrics));
}

SqliteEngine::SqliteEngine(const Options& options, telemetry::Metrics& metrics)
    : SqlEngine(options.store.remote),
      directory_(options.directory),
      space_(options.directory, options.space, *options.store.clock) {
  StoreOptions store = options.store;
  store.space = &space_;
  store.on_damage = [this](const std::string& file, const base::Error& error) {
    soundness_.ReportDamage(file, error);
  };
  store.on_read_cut_off = [&metrics](const char* limit) {
    metrics.Count("agent_memory_server_reads_cut_off_total", {{"limit", limit}});
  };
  store.on_erased = [&metrics](int64_t deletes) {
    metrics.Count("agent_memory_server_erasures_total", {}, static_cast<double>(deletes));
  };
  tenants_ = std::make_unique<Tenants>(directory_, store, options.open_tenants);
  Use(tenants_->stores());
  checks_ = std::make_unique<SoundnessChecks>(*tenants_, soundness_, *store.clock, metrics,
                                              options.check_every_ms);
  checks_->Start();
}

SqliteEngine::~SqliteEngine() { Close(); }

Result<std::shared_ptr<Store>> SqliteEngine::Open(const std::string& tenant) {
  ASSIGN_OR_RETURN(std::shared_ptr<Store> store, tenants_->Acquire(tenant));
  return store;
}

Status SqliteEngine::ProbeWrite() { return tenants_->ProbeWrite(); }
bool SqliteEngine::Failed() const { return tenants_->Failed(); }
Status SqliteEngine::Soundness() const { return soundness_.Read(); }

EngineFigures SqliteEngine::Figures() const {
  const FileSizes sizes = SizesIn(directory_);
  EngineFigures figures;
  ReadFigures(figures);
  figures.schema_version = static_cast<int64_t>(SchemaSteps().size());
  figures.tenants = sizes.tenants;
  figures.database_bytes = sizes.database_bytes;
  figures.log_bytes = sizes.log_bytes;
  figures.damaged = static_cast<int64_t>(soundness_.Damaged());
  figures.index_bytes = static_cast<int64_t>(tenants_->IndexBytes());
  figures.cache_bytes = static_cast<int64_t>(sqlite::PageCacheBytes());
  figures.spool_bytes = tenants_->SpoolBytes();
  figures.free_bytes = space_.FreeBytes();
  figures.ballast_bytes = space_.BallastBytes();
  return figures;
}

// Opening a file finishes the work that a crash interrupted.
void SqliteEngine::Recover(const std::stop_token& stop) {
  for (const std::string& name : tenants_->Unclosed()) {
    if (stop.stop_requested()) return;
    if (auto store = tenants_->Acquire(name); !store)
      base::LogWarn("a file that was not closed is opened later",
                    {{"reason", store.error().message}});
  }
}

void SqliteEngine::Close() {
  checks_->Stop();
  tenants_->Close();
}

}  // namespace memory
