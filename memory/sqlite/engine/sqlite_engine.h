// All tenants of a data directory as SQLite files: open stores, reserved space on the volume, and
// the thread that checks for corruption.
#pragma once

#include <memory>
#include <string>

#include "lib/telemetry/metrics.h"
#include "memory/sqlite/engine/soundness_checks.h"
#include "memory/sqlite/engine/sql_engine.h"
#include "memory/volume/space_guard.h"

namespace memory {

class SqliteEngine final : public SqlEngine {
 public:
  struct Options {
    std::string directory;
    size_t open_tenants = 256;
    SpaceGuard::Limits space;
    int64_t cache_bytes = 0;     // of the page caches of all files
    int64_t check_every_ms = 0;  // for corruption; 0: only after a report
    StoreOptions store;          // its clock is the engine's
  };
  // kInvalid: a newer version of the program wrote a file. `metrics` outlives this.
  static base::Result<std::unique_ptr<SqliteEngine>> Start(Options options,
                                                           telemetry::Metrics& metrics);
  ~SqliteEngine() override;  // Close()

  base::Result<std::shared_ptr<Store>> Open(const std::string& tenant) override;
  base::Status ProbeWrite() override;  // the guard refuses when space runs out
  bool Failed() const override;
  base::Status Soundness() const override;
  EngineFigures Figures() const override;
  void Recover(const std::stop_token& stop) override;
  void Close() override;
  Tenants& tenants() { return *tenants_; }

 private:
  SqliteEngine(const Options& options, telemetry::Metrics& metrics);
  // In the order of construction.
  const std::string directory_;
  SpaceGuard space_;
  memory::Soundness soundness_;
  std::unique_ptr<Tenants> tenants_;
  std::unique_ptr<SoundnessChecks> checks_;
};

}  // namespace memory
