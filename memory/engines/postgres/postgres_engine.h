// All tenants in a PostgreSQL database, which several replicas of the server share. Nothing is on
// this machine's disk but uploads and copies under way.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "lib/base/process/workers.h"
#include "memory/engines/postgres/postgres_store.h"
#include "memory/sqlite/engine/postgres_option.h"
#include "memory/sqlite/engine/sql_engine.h"

namespace memory {

class PostgresEngine final : public SqlEngine {
 public:
  // As StartPostgres.
  static base::Result<std::unique_ptr<PostgresEngine>> Start(const PostgresOptions& options,
                                                             telemetry::Metrics& metrics);
  ~PostgresEngine() override;  // Close()

  base::Result<std::shared_ptr<Store>> Open(const std::string& tenant) override;
  base::Status ProbeWrite() override;  // as far as the disk of the server, and of the standby
  bool Failed() const override { return false; }
  base::Status Soundness() const override { return {}; }
  EngineFigures Figures() const override;
  void Recover(const std::stop_token&) override {}
  void Close() override;

 private:
  PostgresEngine(const PostgresOptions& options, telemetry::Metrics& metrics);
  base::Status Migrate();

  const std::string replica_;
  const std::shared_ptr<ResidentBudget> indexes_;
  const std::shared_ptr<SpoolBudget> spools_;
  mutable postgres::Pool pool_;
  TextIndexes texts_;
  base::Workers workers_;  // of posted writes
  std::mutex migrating_;
  std::atomic<bool> migrated_{false};
  OpenStores stores_;
};

}  // namespace memory
