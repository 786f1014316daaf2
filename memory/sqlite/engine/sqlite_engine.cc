// Rounds hold one store at a time, since a held store cannot be closed for another.
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

constexpr size_t kManyUses = 65'536 / 8;  // persisted before the next round
// For vectors of older rows, per second: some thousand rows.
constexpr auto kFillAtOnce = std::chrono::milliseconds(100);
// The pause after vectors that could not be stored, since each request to the model may cost money.
constexpr auto kAfterFailedPut = std::chrono::seconds(10);

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
    : directory_(options.directory),
      remote_(options.store.remote),
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
  const Tenants::Usage used = tenants_->Used();
  EngineFigures figures;
  figures.schema_version = static_cast<int64_t>(SchemaSteps().size());
  figures.tenants = sizes.tenants;
  figures.database_bytes = sizes.database_bytes;
  figures.log_bytes = sizes.log_bytes;
  figures.open_tenants = static_cast<int64_t>(tenants_->Open());
  figures.queued_writes = static_cast<int64_t>(tenants_->QueuedWrites());
  figures.damaged = static_cast<int64_t>(soundness_.Damaged());
  figures.rows = used.rows;
  figures.most_rows = used.most_rows;
  figures.most_bytes = used.most_bytes;
  figures.longest_log_bytes = used.longest_log;
  figures.due_erasures = used.due_erasures;
  figures.index_bytes = static_cast<int64_t>(tenants_->IndexBytes());
  figures.cache_bytes = static_cast<int64_t>(sqlite::PageCacheBytes());
  figures.remote_gaps = used.remote_gaps;
  figures.uncut_rows = used.uncut_rows;
  figures.spool_bytes = tenants_->SpoolBytes();
  figures.free_bytes = space_.FreeBytes();
  figures.ballast_bytes = space_.BallastBytes();
  return figures;
}

bool SqliteEngine::Sweep(const std::stop_token& stop,
                         const std::function<void(const Result<Swept>&)>& on_swept) {
  std::string name;
  while (std::shared_ptr<SqliteStore> store = tenants_->NextOpen(name)) {
    if (stop.stop_requested()) return false;
    on_swept(store->Sweep(stop));
  }
  return true;
}

namespace {

// A share of each second.
void Fill(SqliteStore& store, Result<bool> (SqliteStore::*step)(), const char* later) {
  const auto until = std::chrono::steady_clock::now() + kFillAtOnce;
  for (;;) {
    const Result<bool> more = (store.*step)();
    if (!more)
      base::Log(base::Level::kDebug, later,
                {{"file", store.path()}, {"reason", more.error().message}});
    if (!more || !*more || std::chrono::steady_clock::now() > until) return;
  }
}

}  // namespace

void SqliteEngine::Tidy() {
  std::string name;
  while (std::shared_ptr<SqliteStore> store = tenants_->NextOpen(name)) {
    store->CloseIdleReaders();
    // Uses that cannot be persisted stay in memory; the next round retries.
    if (store->CountUses() >= kManyUses) (void)store->KeepUses();
    Fill(*store, &SqliteStore::CutWords, "the words of rows are cut again later");
    Fill(*store, &SqliteStore::FillVectors, "rows get their vectors later");
    (void)store->KeepFieldsIfDue();
  }
}

namespace {

// A failure leaves the gaps listed.
void NoteLater(const std::string& file, const base::Error& error) {
  base::Log(base::Level::kDebug, "rows get their remote vectors later",
            {{"file", file}, {"reason", error.message}});
}

}  // namespace

// Releases the store during the request to the model, so that it can be closed for another.
bool SqliteEngine::FillRemoteVectors(const std::stop_token& stop) {
  if (!remote_ || std::chrono::steady_clock::now() < remote_from_) return false;
  bool more = false;
  std::string name;
  while (std::shared_ptr<SqliteStore> store = tenants_->NextOpen(name)) {
    const Result<int64_t> model = remote_->Model(stop);
    if (!model || stop.stop_requested()) return false;
    const std::string file = store->path();
    const Result<RemoteBatch> batch = store->NextRemoteBatch(*model);
    store.reset();
    if (!batch) {
      NoteLater(file, batch.error());
      continue;
    }
    more = more || batch->more;
    if (batch->rows.empty()) continue;
    std::vector<std::string> texts;
    for (const Vectorless& row : batch->rows) texts.push_back(EmbeddedText(row.title, row.content));
    const auto vectors = remote_->OfRows(texts, stop);
    if (!vectors) return false;
    store = tenants_->IfOpen(name);
    if (!store) continue;
    if (Status put = store->PutRemoteVectors(*batch, *model, *vectors); !put) {
      NoteLater(file, put.error());
      remote_from_ = std::chrono::steady_clock::now() + kAfterFailedPut;
      return false;
    }
  }
  return more;
}

// Opening a file finishes the work that a crash interrupted.
std::shared_ptr<Store> SqliteEngine::NextOpen(std::string& name) {
  return tenants_->NextOpen(name);
}

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
