// Opens a tenant: its parts are those of every store (memory/sqlite/store/state.h).
#include "memory/engines/postgres/postgres_store.h"

#include <utility>

#include "lib/base/text/digest.h"
#include "lib/postgres/writer.h"
#include "lib/sql/run.h"
#include "memory/engines/postgres/postgres_candidates.h"
#include "memory/sqlite/store/state.h"

namespace memory {

using base::Result;
using base::Status;

namespace {

// Of a project whose index the first query makes: some 20 ms. Without one it reads all rows.
constexpr int64_t kRowsAtOnce = 4000;
constexpr int64_t kSweepMs = 60'000;           // of the right to sweep, after which others may
constexpr int64_t kKeptVersions = 16 * 1024;   // of changes, for the indexes of other replicas
constexpr int64_t kClearedAtOnce = 16 * 1024;  // changes

}  // namespace

Result<std::unique_ptr<PostgresStore>> PostgresStore::Open(const std::string& name,
                                                           const Shared& shared,
                                                           StoreOptions options) {
  const auto liveness = std::make_shared<Liveness>(*options.clock);
  ASSIGN_OR_RETURN(auto opened,
                   PostgresTenant::Open(name, {shared.pool, shared.texts, *options.clock, liveness,
                                               options.retention}));
  const std::shared_ptr<PostgresTenant> tenant = std::move(opened);
  StoreState::Engine engine;
  engine.reader = [tenant]() -> Result<std::unique_ptr<SqlCandidates>> {
    return std::unique_ptr<SqlCandidates>(std::make_unique<PostgresCandidates>(tenant));
  };
  engine.candidates = [tenant]() -> Result<std::unique_ptr<Candidates>> {
    return std::unique_ptr<Candidates>(std::make_unique<PostgresCandidates>(tenant));
  };
  engine.rows_at_once = kRowsAtOnce;
  engine.connect = [tenant]() -> Result<std::shared_ptr<sql::Database>> {
    ASSIGN_OR_RETURN(postgres::Pool::Lease lease, tenant->Checkout(tenant->Reading()));
    return std::shared_ptr<sql::Database>(std::move(lease));
  };
  auto state = std::make_unique<StoreState>(shared.spools + "/" + base::Sha256Hex(name), options,
                                            liveness, std::move(engine));
  tenant->Watch(state->resident, [gaps = &state->remote_gaps](const auto& slots) {
    gaps->Announce(slots);
    gaps->Commit();
  });
  {
    ASSIGN_OR_RETURN(postgres::Pool::Lease lease, tenant->Checkout(tenant->Writing()));
    ASSIGN_OR_RETURN(sql::Transaction transaction, sql::Transaction::Begin(*lease));
    RETURN_IF_ERROR(state->Load(*lease));
    RETURN_IF_ERROR(transaction.Commit());
  }
  postgres::Writer::Options writing;
  writing.queue = options.write_queue;
  writing.scope = [tenant] { return tenant->Writing(); };
  writing.before_commit = [state = state.get()](sql::Database& writer) {
    return state->usage.Read(writer);
  };
  state->Start(std::make_unique<postgres::Writer>(shared.pool, shared.workers, std::move(writing)));
  return std::unique_ptr<PostgresStore>(new PostgresStore(std::move(state), shared.replica));
}

PostgresStore::PostgresStore(std::unique_ptr<StoreState> state, std::string replica)
    : SqlStore(std::move(state)), replica_(std::move(replica)) {}

PostgresStore::~PostgresStore() { Close(); }

void PostgresStore::Close() {
  if (std::exchange(closed_, true)) return;
  state_->resident.Stop();
  KeepAll();
  state_->readers.Close();
}

// Each snapshot begins so.
Status PostgresStore::NoteChanges() {
  if (!state_->options.remote) return {};
  ASSIGN_OR_RETURN(const Snapshot snapshot, Snapshot::BeginUnhurried(state_->readers));
  return {};
}

Result<bool> PostgresStore::MaySweep() {
  bool mine = false;
  RETURN_IF_ERROR(state_->writer->RunAny([&](sql::Database& database) -> Status {
    ASSIGN_OR_RETURN(sql::Statement claim,
                     database.Prepare("SELECT CASE WHEN agent_memory.claim_sweep(?1, ?2) THEN 1 "
                                      "ELSE 0 END"));
    RETURN_IF_ERROR(claim.Bind(replica_).Bind(kSweepMs).Step());
    mine = claim.Int(0) != 0;
    if (!mine) return {};
    return sql::Run(database, "SELECT agent_memory.clear_changes(?1, ?2)", kKeptVersions,
                    kClearedAtOnce);
  }));
  return mine;
}

}  // namespace memory
