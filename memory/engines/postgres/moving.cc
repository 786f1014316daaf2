// The database of a move (memory/sqlite/moving). Each call has a session of its own, so that its
// end lets go of the tenant.
#include <utility>

#include "lib/postgres/pool.h"
#include "lib/sql/run.h"
#include "memory/engines/postgres/schema.h"
#include "memory/sqlite/moving/shared_database.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;
using postgres::Pool;
using sql::Statement;
using sql::Transaction;

namespace {

constexpr int64_t kConnectMs = 5'000;
constexpr int64_t kHoldMs = 10'000;     // for writers that have begun
constexpr int64_t kCommitMs = 300'000;  // of a tenant's rows

Pool::Options PoolOfMove() {
  Pool::Options options;
  options.connections = 1;
  options.database.session = {{"search_path", "agent_memory"},
                              {"application_name", "agent-memory-server migrate"}};
  options.database.commit_ms = kCommitMs;
  return options;
}

class PostgresHeld final : public HeldTenant {
 public:
  PostgresHeld(std::unique_ptr<Pool> pool, Pool::Lease lease, int64_t number)
      : pool_(std::move(pool)), lease_(std::move(lease)), number_(number) {}
  ~PostgresHeld() override {
    lease_->Use({});
    (void)Mark("UPDATE agent_memory_rows.tenants SET moving = false WHERE number = ?1");
  }

  Status Lock() {
    {
      const sql::TimeLimit limit(*lease_, kHoldMs, {},
                                 {Code::kUnavailable, "another move has this namespace"});
      RETURN_IF_ERROR(sql::Run(
          *lease_, "SELECT pg_advisory_lock(agent_memory_rows.moves(), CAST(?1 AS integer))",
          number_));
    }
    return Mark("UPDATE agent_memory_rows.tenants SET moving = true WHERE number = ?1");
  }

  Status Read(const std::function<Status(sql::Database&)>& read) override {
    lease_->Use({.writing = false,
                 .lock = "SELECT agent_memory.enter($1::bigint, 0, '[]', false)",
                 .lock_values = {std::to_string(number_)}});
    RETURN_IF_ERROR(lease_->BeginReading());
    Status done = read(*lease_);
    const Status ended = lease_->EndReading();
    return done ? ended : done;
  }

  // The lock is the session's: it is held as long as that answers.
  Status StillHeld() override {
    lease_->Use({.writing = false});
    ASSIGN_OR_RETURN(Statement ask,
                     lease_->Prepare("SELECT count(*) FROM agent_memory_rows.tenants WHERE "
                                     "number = ?1 AND moving"));
    ASSIGN_OR_RETURN(const bool row, ask.Bind(number_).Step());
    if (row && ask.Int(0) == 1) return {};
    return Error{Code::kUnavailable, "writers came in between; try again"};
  }

 private:
  Status Mark(const char* sql) {
    ASSIGN_OR_RETURN(Transaction marking, Transaction::Begin(*lease_));
    RETURN_IF_ERROR(sql::Run(*lease_, sql, number_));
    return marking.Commit();
  }

  const std::unique_ptr<Pool> pool_;
  Pool::Lease lease_;
  const int64_t number_;
};

// → the mark.
Result<std::string> EnterToFill(postgres::Database& database, const std::string& tenant) {
  RETURN_IF_ERROR(sql::Run(
      database, "SELECT agent_memory.enter(agent_memory.tenant_of(?1), 0, '[]', true)", tenant));
  ASSIGN_OR_RETURN(Statement read,
                   database.Prepare("SELECT moved FROM agent_memory_rows.tenants WHERE number = "
                                    "agent_memory.current_tenant()"));
  ASSIGN_OR_RETURN(const auto mark,
                   read.ReadFirst([](const Statement& row) { return row.Text(0); }));
  return mark.value_or("");
}

class PostgresMoves final : public SharedDatabase {
 public:
  explicit PostgresMoves(std::string dsn_file) : dsn_file_(std::move(dsn_file)) {}

  Result<std::vector<std::string>> Tenants() override {
    Pool pool(dsn_file_, PoolOfMove());
    ASSIGN_OR_RETURN(Pool::Lease lease, pool.Checkout({}, kConnectMs));
    ASSIGN_OR_RETURN(Statement read,
                     lease->Prepare("SELECT name FROM agent_memory_rows.tenants ORDER BY name"));
    return read.ReadAll([](const Statement& row) { return row.Text(0); });
  }

  Result<std::unique_ptr<HeldTenant>> Hold(const std::string& tenant) override {
    auto pool = std::make_unique<Pool>(dsn_file_, PoolOfMove());
    ASSIGN_OR_RETURN(Pool::Lease lease, pool->Checkout({}, kConnectMs));
    std::optional<int64_t> number;
    {
      ASSIGN_OR_RETURN(Statement find,
                       lease->Prepare("SELECT number FROM agent_memory_rows.tenants "
                                      "WHERE name = ?1"));
      ASSIGN_OR_RETURN(
          number, find.Bind(tenant).ReadFirst([](const Statement& row) { return row.Int(0); }));
    }
    if (!number) return Error{Code::kNotFound, "the database has no memories of this namespace"};
    auto held = std::make_unique<PostgresHeld>(std::move(pool), std::move(lease), *number);
    RETURN_IF_ERROR(held->Lock());
    return std::unique_ptr<HeldTenant>(std::move(held));
  }

  // Without entries in `changes`: indexes of replicas are older than what is cleared, and are made
  // anew.
  Status Fill(const std::string& tenant, const Filling& fill) override {
    Pool pool(dsn_file_, PoolOfMove());
    ASSIGN_OR_RETURN(Pool::Lease lease, pool.Checkout({}, kConnectMs));
    lease->Use({.settings = {{"agent_memory.copying", "true"}}});
    ASSIGN_OR_RETURN(Transaction filling, Transaction::Begin(*lease));
    ASSIGN_OR_RETURN(const std::string before, EnterToFill(*lease, tenant));
    ASSIGN_OR_RETURN(const std::optional<std::string> mark, fill(*lease, before));
    if (!mark) return {};
    RETURN_IF_ERROR(sql::Run(*lease,
                             "UPDATE agent_memory_rows.tenants SET moved = ?1, version = version "
                             "+ 1, cleared = version + 1 WHERE number = "
                             "agent_memory.current_tenant()",
                             *mark));
    return filling.Commit();
  }

 private:
  const std::string dsn_file_;
};

}  // namespace

Result<std::unique_ptr<SharedDatabase>> OpenSharedDatabase(const std::string& dsn_file) {
  Pool pool(dsn_file, PoolOfMove());
  ASSIGN_OR_RETURN(Pool::Lease lease, pool.Checkout({}, kConnectMs));
  RETURN_IF_ERROR(MigrateSchema(*lease));
  return std::unique_ptr<SharedDatabase>(std::make_unique<PostgresMoves>(dsn_file));
}

}  // namespace memory
