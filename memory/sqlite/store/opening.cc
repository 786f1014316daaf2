// Opens and closes a tenant's file and its connections.
#include <algorithm>

#include "lib/base/check.h"
#include "lib/base/process/log.h"
#include "lib/conversation/sqlite/rows.h"
#include "memory/sqlite/store/sqlite_store.h"
#include "memory/sqlite/store/state.h"
#include "memory/sqlite/tables/keys.h"
#include "memory/sqlite/tables/schema.h"
#include "memory/sqlite/tables/waiting.h"
#include "memory/volume/space_guard.h"

namespace memory {

using base::Result;
using base::Status;
using sqlite::Database;

namespace {

constexpr int64_t kIdleReaderMs = 60'000;

// Options of a connection to `path` that reports corruption.
Database::Options Watched(sqlite::Access access, const std::string& path,
                          const StoreOptions& options) {
  Database::Options watched;
  watched.access = access;
  if (options.on_damage)
    watched.on_damage = [path, tell = options.on_damage](const base::Error& e) { tell(path, e); };
  return watched;
}

Result<std::unique_ptr<Reader>> OpenReader(const std::string& path,
                                           const Database::Options& reading,
                                           const std::shared_ptr<Liveness>& liveness,
                                           ResidentIndexes* resident) {
  ASSIGN_OR_RETURN(Database connection, Database::Open(path, reading));
  RETURN_IF_ERROR(Liveness::RegisterFunction(liveness, connection));
  ASSIGN_OR_RETURN(auto candidates, SqliteCandidates::Make(std::move(connection)));
  return std::make_unique<Reader>(std::move(candidates), resident);
}

}  // namespace

StoreState::StoreState(std::string of, StoreOptions with)
    : options(std::move(with)),
      path(std::move(of)),
      usage(path, options.quota),
      resident({[this]() -> Result<std::unique_ptr<Candidates>> {
                  ASSIGN_OR_RETURN(Database reader,
                                   Database::Open(path, {sqlite::Access::kReader, 512}));
                  ASSIGN_OR_RETURN(auto candidates, SqliteCandidates::Make(std::move(reader)));
                  return std::unique_ptr<Candidates>(std::move(candidates));
                },
                options.index_budget ? options.index_budget
                                     : std::make_shared<ResidentBudget>(options.index_bytes),
                options.index_at_once, options.embedder ? options.embedder->model() : 0,
                options.embedder ? options.embedder->dimensions() : 0,
                options.embedder ? options.embedder->pieces() : nullptr}),
      changes(resident, options.remote ? [this](const auto& slots) { remote_gaps.Announce(slots); }
                                       : std::function<void(const std::vector<int64_t>&)>()),
      eraser(
          {path, options.erase_after, options.on_erased, &index_damaged, &resident, options.space}),
      liveness(std::make_shared<Liveness>(*options.clock)),
      readers([this] { return OpenReader(path, Reading(), liveness, &resident); },
              {options.readers, options.read_timeout_ms, options.clock, options.on_read_cut_off}) {}

Database::Options StoreState::Reading() const {
  Database::Options reading = Watched(sqlite::Access::kReader, path, options);
  reading.cache_kib = 1024;
  reading.clock = options.clock;
  return reading;
}

Status StoreState::Index(Database& writer, const std::function<Status(Database&)>& step) {
  if (index_damaged) return {};
  const bool met_before = writer.MetDamage();
  Status indexed = step(writer);
  if (!indexed && !met_before && writer.MetDamage()) index_damaged = true;
  return indexed;
}

// The wait is bounded, so that a slow disk delays no search for long.
bool StoreState::WaitForIndex() {
  if (index_damaged) return false;
  std::future<Status> indexed =
      writer->Post([this](Database& database) { return Index(database, IndexWaiting); });
  return indexed.wait_for(options.index_wait) == std::future_status::ready && indexed.get() &&
         !index_damaged;
}

StoreReads::StoreReads(std::unique_ptr<StoreState> state) : state_(std::move(state)) {}
StoreReads::~StoreReads() = default;
SqliteStore::~SqliteStore() { Close(); }

namespace {

// The batch is rolled back and callers may retry, since no sync failed.
Status NotNow(const base::Error& error) {
  const bool full = error.code == base::Code::kFull;
  return base::Error{full ? error.code : base::Code::kUnavailable, error.message};
}

Result<Database> OpenAndMigrate(const std::string& path, const Database::Options& writing) {
  ASSIGN_OR_RETURN(Database database, Database::Open(path, writing));
  if (Status migrated = sqlite::Migrate(database, SchemaSteps()); !migrated)
    return base::Wrap(path, migrated.error());
  return database;
}

// Strengths decay by the wall clock, which counts this far ahead of base::AgingClock: one that is
// set wrong for a moment neither lowers strengths nor prunes.
constexpr int64_t kMostAheadMs = 2 * 24 * 3'600'000LL;

// On a full volume SQLite cannot even open the WAL: removing the ballast frees space.
Result<Database> OpenWriter(const std::string& path, const StoreOptions& options) {
  Database::Options writing = Watched(sqlite::Access::kWriter, path, options);
  writing.on_broken = options.on_sync_failure;  // also while it is opened, before there is a Writer
  Result<Database> opened = OpenAndMigrate(path, writing);
  if (opened || !options.space || opened.error().code != base::Code::kFull) return opened;
  options.space->GiveUp();
  return OpenAndMigrate(path, writing);
}

}  // namespace

Result<std::unique_ptr<SqliteStore>> SqliteStore::Open(const std::string& path,
                                                       StoreOptions options) {
  Spool::RemoveLeftovers(path);
  auto state = std::make_unique<StoreState>(path, options);
  ASSIGN_OR_RETURN(Database database, OpenWriter(path, options));
  RETURN_IF_ERROR(Liveness::RegisterFunction(state->liveness, database));
  ASSIGN_OR_RETURN(state->salt, SaltOf(database));
  ASSIGN_OR_RETURN(RetentionPolicy policy, LoadPolicy(database, options.retention));
  state->liveness->Set(std::move(policy));
  // Readers open on demand: opens one now to report errors.
  ASSIGN_OR_RETURN(auto reader,
                   OpenReader(path, state->Reading(), state->liveness, &state->resident));
  reader.reset();
  state->changes.Watch(database);
  RETURN_IF_ERROR(state->usage.Read(database));
  ASSIGN_OR_RETURN(const int64_t aged_ms, conversation::SqliteRows(database).LoadClock());
  state->fields.emplace(*options.clock, aged_ms, options.working_memory_ttl_ms);
  ASSIGN_OR_RETURN(const int64_t cell_clock_ms, LoadCellClock(database));
  ASSIGN_OR_RETURN(const int64_t pending_turns, SqliteTurns(database).CountPending());
  ASSIGN_OR_RETURN(const int64_t pending_runs, CountRunsToDerive(database));
  sqlite::Writer::Options writing;
  writing.queue = options.write_queue;
  writing.on_sync_failure = options.on_sync_failure;
  if (SpaceGuard* space = options.space) {
    writing.admit = [space](int64_t reusable_bytes) { return space->Admit(reusable_bytes); };
    writing.on_full = [space] { space->GiveUp(); };
    if (int64_t longest = space->LongestLogBytes(); longest > 0)
      writing.checkpoint_pages =
          static_cast<int>(std::clamp<int64_t>(longest / 4096, 16, writing.checkpoint_pages));
  }
  const auto count = [state = state.get()](Database& writer) {
    if (Status counted = state->usage.Read(writer); !counted) {
      base::LogWarn("the usage of a namespace could not be counted; the metrics have older figures",
                    {{"file", state->path}, {"reason", counted.error().message}});
    }
  };
  writing.before_commit = [state = state.get(), count](Database& writer) -> Status {
    // Without the version of this change readers would answer from the state before it.
    if (Status told = state->changes.Publish(writer); !told) return NotNow(told.error());
    if (Status told = state->waiting.Add(writer, state->changes.TakeWaiting()); !told)
      return NotNow(told.error());
    count(writer);
    return {};
  };
  writing.answered = [state = state.get()] {
    state->remote_gaps.Commit();
    return state->waiting.IsMany();
  };
  writing.after_commit = [state = state.get()](Database& writer) -> Status {
    // Pending rows can wait longer: indexing them must not fail a delete on a full volume.
    ASSIGN_OR_RETURN(int64_t reusable, writer.ReusableBytes());
    if (SpaceGuard* space = state->options.space; space && !space->Admit(reusable)) return {};
    return state->Index(writer,
                        [state](Database& file) { return IndexManyWaiting(file, state->waiting); });
  };
  writing.when_idle = [state = state.get()](Database& writer) {
    return state->Index(writer, IndexWaiting);
  };
  writing.idle = options.index_idle;
  writing.max_log_bytes = options.max_log_bytes;
  writing.on_log_held = [state = state.get()] { state->long_reads.End(); };
  writing.on_log = [state = state.get()](int64_t bytes) { state->usage.SetLog(bytes); };
  writing.chore = [state = state.get(), count](Database& writer,
                                               const sqlite::Writer::ChoreCall& call) {
    const bool was_due = state->eraser.due() > 0;
    auto next = state->eraser.Step(writer, call);
    if (was_due) count(writer);  // a namespace at its quota has no commit that would
    return next;
  };
  state->writer = std::make_unique<sqlite::Writer>(std::move(database), std::move(writing));
  state->cell_clock.emplace(*state->writer, *options.clock, cell_clock_ms);
  const auto aged_ms_of_cells = [state = state.get()] { return state->cell_clock->NowMs(); };
  const auto admit = [state = state.get()] { return state->AdmitGrowth(); };
  state->items.emplace(SqliteItems::Parts{*state->writer, state->readers, *options.clock,
                                          aged_ms_of_cells, options.query_deadline_ms, admit,
                                          options.embedder.get()});
  for (const CellTable& table : CellTables()) {
    const CellStatements* const sql = table.statements;
    if (sql == nullptr) continue;
    auto host = std::make_unique<SqliteCellHost>(SqliteCellHost::Parts{
        *state->writer, state->readers, admit,
        [sql](Database& file) { return std::make_unique<TableCells>(file, *sql); }});
    state->cells.push_back(
        std::make_unique<KeptCells>(table.kind, std::move(host), *options.clock, aged_ms_of_cells));
  }
  std::shared_ptr<const base::AgingClock> decay =
      options.decay_clock ? options.decay_clock
                          : std::make_shared<const base::AgingClock>(*options.clock, 0);
  const TraceWriting traces{
      state->salt,
      [state = state.get()](const std::string& title, const std::string& content) {
        return state->Facts(title, content);
      },
      options.strength,
      [clock = options.clock, decay = std::move(decay)] {
        return std::min(clock->NowMs(), decay->NowMs() + kMostAheadMs);
      }};
  state->traces.emplace(SqliteTraces::Parts{
      *state->writer, state->readers, *options.clock, traces, admit,
      [state = state.get()](RankQuery& query) {
        query.deadline_ms = state->options.query_deadline_ms;
        if (!query.operators) state->SetMeaning(query);
      },
      [state = state.get()] { return state->WaitForIndex(); },
      [state = state.get()](const std::vector<int64_t>& ids) { state->liveness->Use(ids); },
      options.trace_weights});
  state->consolidation.emplace(SqliteConsolidation::Parts{
      *state->writer, state->readers, *options.clock, traces, admit,
      [state = state.get()] { return state->traces->KeepRetrievals(); }, options.embedder.get(),
      options.consolidation, options.derives, pending_runs});
  state->turns.emplace(std::make_unique<SqliteRowHost<TurnRows>>(SqliteRowHost<TurnRows>::Parts{
                           *state->writer, state->readers, admit,
                           [](Database& file) { return std::make_unique<SqliteTurns>(file); }}),
                       *options.clock, pending_turns);
  return std::unique_ptr<SqliteStore>(new SqliteStore(std::move(state)));
}

Status SqliteStore::ProbeWrite() {
  // A WAL that readers hold is no fault of the disk, and does not affect other tenants.
  const int64_t most = state_->options.max_log_bytes;
  if (most > 0 && state_->usage.log_bytes() >= most) return {};
  return state_->writer->RunAny([](Database& database) -> Status {
    ASSIGN_OR_RETURN(
        auto probe, database.Prepare("UPDATE counters SET value = value + 1 WHERE name = 'probe'"));
    return probe.Run();
  });
}

Items& Store::items() { return *state_->items; }

KeptCells& Store::cells(const CellKind& kind) {
  for (const auto& cells : state_->cells)
    if (&cells->kind() == &kind) return *cells;
  CHECK(&kind == &kItemCells);
  return *state_->items;
}

Traces& Store::traces() { return *state_->traces; }

Consolidation& Store::consolidation() { return *state_->consolidation; }

Turns& Store::turns() { return *state_->turns; }

bool Store::Failed() const { return state_->writer->Failed(); }
size_t SqliteStore::QueuedWrites() const { return state_->writer->Queued(); }

SqliteStore::IndexFigures SqliteStore::Indexes() const {
  const ResidentIndexes::Figures figures = state_->resident.Read();
  return {figures.bytes, figures.ranges, figures.served, figures.missed};
}

SqliteStore::Used SqliteStore::Usage() const {
  return {state_->usage.rows(), state_->usage.bytes(), state_->usage.log_bytes()};
}
int64_t SqliteStore::DueErasures() const { return state_->eraser.due(); }
const std::string& SqliteStore::path() const { return state_->path; }

void SqliteStore::CloseIdleReaders() {
  state_->readers.CloseIdle(state_->options.clock->MonotonicMs() - kIdleReaderMs);
}

void SqliteStore::Close() {
  state_->resident.Stop();
  if (Status kept = KeepUses(); !kept)
    base::LogWarn("the times of recent reads are not stored", {{"reason", kept.error().message}});
  if (Status kept = state_->fields->refreshes().Count() > 0 ? state_->KeepFields() : Status();
      !kept)
    base::LogWarn("reads of working memory may not count for its expiry",
                  {{"reason", kept.error().message}});
  if (Status kept = state_->cell_clock->KeepSeen(); !kept)
    base::LogWarn("items may expire later", {{"reason", kept.error().message}});
  state_->readers.Close();
  state_->writer->Stop();
}

}  // namespace memory
