// An address file for the database of a test, and what opens tenants in it.
#pragma once

#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "lib/testing/fake_clock.h"
#include "lib/testing/temporary_directory.h"
#include "memory/engines/postgres/postgres_engine.h"
#include "memory/engines/postgres/schema_fixture.h"
#include "memory/store/memory_fixture.h"

namespace memory {

class PostgresEngineTest : public PostgresSchemaTest {
 protected:
  void SetUp() override {
    PostgresSchemaTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    WriteDsn("host=" + directory_ + " user=" + role_ + " dbname=" + name_);
  }
  std::string DsnFile() const { return scratch_.File("dsn"); }
  void WriteDsn(const std::string& text) const { std::ofstream(DsnFile()) << text; }
  PostgresOptions Options() {
    PostgresOptions options;
    options.dsn_file = DsnFile();
    options.spools = scratch_.path();
    options.store.clock = &clock_;
    options.store.embedder = embedder_;
    return options;
  }
  // A replica of the server.
  std::unique_ptr<PostgresEngine> StartReplica(const PostgresOptions& options) {
    auto started = PostgresEngine::Start(options, metrics_);
    EXPECT_TRUE(started) << started.error().message;
    return started ? std::move(*started) : nullptr;
  }
  std::unique_ptr<PostgresEngine> StartReplica() { return StartReplica(Options()); }
  static std::shared_ptr<Store> OpenIn(Engine& engine, const std::string& tenant = "a") {
    auto store = engine.Open(tenant);
    EXPECT_TRUE(store) << store.error().message;
    return store ? *store : nullptr;
  }

  testing::TemporaryDirectory scratch_;
  testing::FakeClock clock_{kMidnight};
  telemetry::Metrics metrics_;
  std::shared_ptr<const Embedder> embedder_ = std::make_shared<WordBag>();
};

}  // namespace memory
