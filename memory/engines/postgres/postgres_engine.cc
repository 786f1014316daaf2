// The schema is made with the first connection, which may be long after the start.
#include "memory/engines/postgres/postgres_engine.h"

#include <unistd.h>

#include <filesystem>
#include <utility>

#include "lib/base/process/log.h"
#include "lib/base/process/random.h"
#include "lib/sql/run.h"
#include "memory/engines/postgres/schema.h"
#include "memory/ranking/resident_budget.h"
#include "memory/volume/spool_budget.h"

namespace memory {

using base::Code;
using base::Result;
using base::Status;
using sql::Statement;

namespace {

constexpr int64_t kWaitMs = 500;       // of a probe and of figures for a connection
constexpr int64_t kProbeMs = 1000;     // of a probe until its COMMIT, and of that
constexpr int64_t kMigrateMs = 5'000;  // for a connection
constexpr size_t kPostingThreads = 4, kPosted = 1024;

postgres::Pool::Options PoolOf(const PostgresOptions& options) {
  postgres::Pool::Options pool;
  pool.connections = options.connections;
  // Statements look rows up by keys. Estimates of a tenant's first rows, which plans outlive, would
  // make it read whole tables.
  pool.database.session = {{"search_path", "agent_memory"},
                           {"enable_seqscan", "off"},
                           {"random_page_cost", "1.1"},
                           {"application_name", "agent-memory-server"},
                           {"agent_memory.require_sync", options.require_sync ? "true" : "false"}};
  return pool;
}

// Of the spools that a process before left.
void RemoveSpools(const std::string& directory) {
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(directory, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    if (entry->path().filename().string().find(".spool-") != std::string::npos)
      std::filesystem::remove(entry->path(), ignored);
  }
}

}  // namespace

Result<std::unique_ptr<PostgresEngine>> PostgresEngine::Start(const PostgresOptions& options,
                                                              telemetry::Metrics& metrics) {
  RemoveSpools(options.spools);
  std::unique_ptr<PostgresEngine> engine(new PostgresEngine(options, metrics));
  if (Status ready = engine->Migrate(); !ready) {
    if (ready.error().code != Code::kUnavailable) return ready.error();
    base::LogWarn("PostgreSQL is away; requests get 503 until it is there",
                  {{"reason", ready.error().message}});
  }
  return engine;
}

Result<std::unique_ptr<Engine>> StartPostgres(PostgresOptions options,
                                              telemetry::Metrics& metrics) {
  ASSIGN_OR_RETURN(std::unique_ptr<Engine> engine, PostgresEngine::Start(options, metrics));
  return engine;
}

PostgresEngine::PostgresEngine(const PostgresOptions& options, telemetry::Metrics& metrics)
    : SqlEngine(options.store.remote),
      replica_(base::RandomUuid()),
      indexes_(std::make_shared<ResidentBudget>(options.store.index_bytes)),
      spools_(SpoolBudget::OfVolume(options.spools)),
      pool_(options.dsn_file, PoolOf(options)),
      workers_("posted writes", kPostingThreads, kPosted),
      stores_(
          [this, store = options.store, directory = options.spools,
           &metrics](const std::string& tenant) -> Result<std::unique_ptr<SqlStore>> {
            StoreOptions own = store;
            own.index_budget = indexes_;
            own.spools = spools_;
            own.on_read_cut_off = [&metrics](const char* limit) {
              metrics.Count("agent_memory_server_reads_cut_off_total", {{"limit", limit}});
            };
            ASSIGN_OR_RETURN(
                std::unique_ptr<SqlStore> opened,
                PostgresStore::Open(tenant, {pool_, texts_, workers_, directory, replica_},
                                    std::move(own)));
            return opened;
          },
          options.open_tenants) {
  Use(stores_);
}

PostgresEngine::~PostgresEngine() { Close(); }

Status PostgresEngine::Migrate() {
  if (migrated_) return {};
  const std::lock_guard lock(migrating_);
  if (migrated_) return {};
  ASSIGN_OR_RETURN(postgres::Pool::Lease lease, pool_.Checkout({}, kMigrateMs));
  RETURN_IF_ERROR(MigrateSchema(*lease));
  migrated_ = true;
  return {};
}

Result<std::shared_ptr<Store>> PostgresEngine::Open(const std::string& tenant) {
  RETURN_IF_ERROR(Migrate());
  ASSIGN_OR_RETURN(std::shared_ptr<Store> store, stores_.Acquire(tenant));
  return store;
}

Status PostgresEngine::ProbeWrite() {
  RETURN_IF_ERROR(Migrate());
  postgres::Scope scope;
  scope.commit_ms = kProbeMs;
  ASSIGN_OR_RETURN(postgres::Pool::Lease lease, pool_.Checkout(std::move(scope), kWaitMs));
  const sql::TimeLimit limit(
      *lease, kProbeMs, {},
      {Code::kUnavailable,
       "PostgreSQL: the last probe is not committed yet: the server is slow, "
       "or waits for a standby"});
  ASSIGN_OR_RETURN(sql::Transaction transaction, sql::Transaction::Begin(*lease));
  RETURN_IF_ERROR(sql::Run(*lease, "SELECT agent_memory.probe(?1)", replica_));
  return transaction.Commit();
}

EngineFigures PostgresEngine::Figures() const {
  EngineFigures figures;
  ReadFigures(figures);
  figures.index_bytes = static_cast<int64_t>(indexes_->bytes());
  figures.spool_bytes = spools_->bytes();
  figures.free_bytes = -1;
  if (!migrated_) return figures;
  const Status read = [&]() -> Status {
    ASSIGN_OR_RETURN(postgres::Pool::Lease lease, pool_.Checkout({.writing = false}, kWaitMs));
    const sql::TimeLimit limit(*lease, kProbeMs, {});
    ASSIGN_OR_RETURN(
        Statement count,
        lease->Prepare("SELECT (SELECT count(*) FROM agent_memory_rows.tenants), "
                       "pg_database_size(current_database()), "
                       "(SELECT max(version) FROM agent_memory_rows.schema_versions)"));
    RETURN_IF_ERROR(count.Step());
    figures.tenants = count.Int(0);
    figures.database_bytes = count.Int(1);
    figures.schema_version = count.Int(2);
    return {};
  }();
  if (!read)
    base::Log(base::Level::kDebug, "the size of the database is not known",
              {{"reason", read.error().message}});
  return figures;
}

void PostgresEngine::Close() {
  stores_.Close();
  workers_.Stop();
}

}  // namespace memory
