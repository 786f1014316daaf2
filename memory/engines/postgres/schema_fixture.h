// A database with the schema, and connections of a role that row-level security binds.
#pragma once

#include <string>
#include <utility>

#include "lib/postgres/server_fixture.h"
#include "memory/engines/postgres/schema.h"

namespace memory {

using postgres::Ask;
using postgres::Do;

class PostgresSchemaTest : public postgres::ServerTest {
 protected:
  void SetUp() override {
    ServerTest::SetUp();
    if (IsSkipped()) return;
    role_ = "r" + name_;
    postgres::Database admin = Connect();
    ASSERT_TRUE(admin.Execute(
        ("CREATE ROLE " + role_ + " LOGIN; GRANT CREATE ON DATABASE " + name_ + " TO " + role_)
            .c_str()));
    postgres::Database owner = Own();
    const base::Status made = MigrateSchema(owner);
    ASSERT_TRUE(made) << made.error().message;
  }
  void TearDown() override {
    ServerTest::TearDown();
    if (role_.empty()) return;
    postgres::Database admin = postgres::ConnectTo(postgres::DsnOf(directory_, "postgres"));
    EXPECT_TRUE(admin.Execute(("DROP ROLE " + role_).c_str()));
  }
  // A connection of the role that owns the tables.
  postgres::Database Own() const {
    return postgres::ConnectTo(
        postgres::DsnOf(directory_, name_, role_),
        {.session = {{"search_path", "agent_memory"}}, .connect_ms = 10'000});
  }
  static int64_t Number(postgres::Database& database, const std::string& sql) {
    const auto read = Ask(database, sql);
    EXPECT_TRUE(read) << sql << ": " << read.error().message;
    return read.value_or(-1);
  }
  static void Run(postgres::Database& database, const std::string& script) {
    const base::Status done = database.Execute(script.c_str());
    EXPECT_TRUE(done) << script << ": " << done.error().message;
  }
  // The number of the tenant.
  static int64_t MakeTenant(postgres::Database& database, const std::string& name) {
    Run(database, "SELECT agent_memory.tenant_of('" + name + "')");
    return Number(database,
                  "SELECT number FROM agent_memory_rows.tenants WHERE name = '" + name + "'");
  }
  // From the next transaction on.
  static void Enter(postgres::Database& database, int64_t tenant, bool writing = true) {
    database.Use({.writing = writing,
                  .settings = {{"agent_memory.tenant", std::to_string(tenant)},
                               {"agent_memory.now_ms", "1000000"},
                               {"agent_memory.ends", "false"}}});
  }

  std::string role_;
};

}  // namespace memory
