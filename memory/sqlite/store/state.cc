// Makes the parts of a store, on any engine.
#include "memory/sqlite/store/state.h"

#include <algorithm>

#include "lib/base/check.h"
#include "lib/base/process/log.h"
#include "lib/conversation/sqlite/rows.h"
#include "memory/model/slots.h"
#include "memory/sqlite/tables/keys.h"

namespace memory {

using base::Result;
using base::Status;
using sql::Database;

StoreState::StoreState(std::string of, StoreOptions with, std::shared_ptr<Liveness> alive,
                       Engine engine)
    : options(std::move(with)),
      path(std::move(of)),
      usage(path, options.quota),
      resident({std::move(engine.candidates),
                options.index_budget ? options.index_budget
                                     : std::make_shared<ResidentBudget>(options.index_bytes),
                options.index_at_once, engine.rows_at_once,
                options.embedder ? options.embedder->model() : 0,
                options.embedder ? options.embedder->dimensions() : 0,
                options.embedder ? options.embedder->pieces() : nullptr}),
      liveness(std::move(alive)),
      connect(std::move(engine.connect)),
      readers(
          [this, open = std::move(engine.reader)]() -> Result<std::unique_ptr<Reader>> {
            ASSIGN_OR_RETURN(std::unique_ptr<SqlCandidates> candidates, open());
            return std::make_unique<Reader>(std::move(candidates), &resident);
          },
          {options.readers, options.read_timeout_ms, options.clock, options.on_read_cut_off}) {}

// The wait is bounded, so that a slow disk delays no search for long.
bool StoreState::WaitForIndex() {
  if (!file) return true;
  if (file->index_damaged) return false;
  std::future<Status> indexed = file->writer->Post(
      [this](sqlite::Database& database) { return file->Index(database, IndexWaiting); });
  return indexed.wait_for(options.index_wait) == std::future_status::ready && indexed.get() &&
         !file->index_damaged;
}

Status StoreState::RequestErasure(Database& database, int64_t slot) {
  return file ? file->eraser.Request(database, slot >> kRangeBits) : Status();
}

Status StoreState::Load(Database& database) {
  ASSIGN_OR_RETURN(salt, SaltOf(database));
  ASSIGN_OR_RETURN(RetentionPolicy policy, LoadPolicy(database, options.retention));
  liveness->Set(std::move(policy));
  RETURN_IF_ERROR(usage.Read(database));
  ASSIGN_OR_RETURN(const int64_t aged_ms, conversation::SqliteRows(database).LoadClock());
  fields.emplace(*options.clock, aged_ms, options.working_memory_ttl_ms);
  ASSIGN_OR_RETURN(loaded.cell_clock_ms, LoadCellClock(database));
  ASSIGN_OR_RETURN(loaded.pending_turns, SqliteTurns(database).CountPending());
  ASSIGN_OR_RETURN(loaded.pending_runs, CountRunsToDerive(database));
  return {};
}

namespace {

constexpr int64_t kIdleReaderMs = 60'000;

// Strengths decay by the wall clock, which counts this far ahead of base::AgingClock: one that is
// set wrong for a moment neither lowers strengths nor prunes.
constexpr int64_t kMostAheadMs = 2 * 24 * 3'600'000LL;

}  // namespace

void StoreState::Start(std::unique_ptr<sql::Writer> of) {
  writer = std::move(of);
  cell_clock.emplace(*writer, *options.clock, loaded.cell_clock_ms);
  const auto aged_ms_of_cells = [this] { return cell_clock->NowMs(); };
  const auto admit = [this] { return AdmitGrowth(); };
  items.emplace(SqliteItems::Parts{*writer, readers, *options.clock, aged_ms_of_cells,
                                   options.query_deadline_ms, admit, options.embedder.get()});
  for (const CellTable& table : CellTables()) {
    const CellStatements* const sql = table.statements;
    if (sql == nullptr) continue;
    auto host = std::make_unique<SqliteCellHost>(SqliteCellHost::Parts{
        *writer, readers, admit,
        [sql](Database& file) { return std::make_unique<TableCells>(file, *sql); }});
    cells.push_back(
        std::make_unique<KeptCells>(table.kind, std::move(host), *options.clock, aged_ms_of_cells));
  }
  std::shared_ptr<const base::AgingClock> decay =
      options.decay_clock ? options.decay_clock
                          : std::make_shared<const base::AgingClock>(*options.clock, 0);
  const TraceWriting tracing{salt,
                             [this](const std::string& title, const std::string& content) {
                               return Facts(title, content);
                             },
                             options.strength,
                             [clock = options.clock, decay = std::move(decay)] {
                               return std::min(clock->NowMs(), decay->NowMs() + kMostAheadMs);
                             }};
  traces.emplace(SqliteTraces::Parts{
      *writer, readers, *options.clock, tracing, admit,
      [this](RankQuery& query) {
        query.deadline_ms = options.query_deadline_ms;
        if (!query.operators) SetMeaning(query);
      },
      [this] { return WaitForIndex(); },
      [this](const std::vector<int64_t>& ids) { liveness->Use(ids); }, options.trace_weights});
  consolidation.emplace(SqliteConsolidation::Parts{
      *writer, readers, *options.clock, tracing, admit, [this] { return traces->KeepRetrievals(); },
      options.embedder.get(), options.consolidation, options.derives, loaded.pending_runs});
  turns.emplace(std::make_unique<SqliteRowHost<TurnRows>>(SqliteRowHost<TurnRows>::Parts{
                    *writer, readers, admit,
                    [](Database& file) { return std::make_unique<SqliteTurns>(file); }}),
                *options.clock, loaded.pending_turns);
}

StoreReads::StoreReads(std::unique_ptr<StoreState> state) : state_(std::move(state)) {}
StoreReads::~StoreReads() = default;

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
Status SqlStore::ProbeWrite() {
  // A WAL that readers hold is no fault of the disk, and does not affect other tenants.
  const int64_t most = state_->options.max_log_bytes;
  if (most > 0 && state_->usage.log_bytes() >= most) return {};
  return state_->writer->RunAny([](sql::Database& database) -> Status {
    ASSIGN_OR_RETURN(
        auto probe, database.Prepare("UPDATE counters SET value = value + 1 WHERE name = 'probe'"));
    return probe.Run();
  });
}

const std::string& SqlStore::path() const { return state_->path; }
size_t SqlStore::QueuedWrites() const { return state_->writer->Queued(); }

SqlStore::IndexFigures SqlStore::Indexes() const {
  const ResidentIndexes::Figures figures = state_->resident.Read();
  return {figures.bytes, figures.ranges, figures.served, figures.missed};
}

SqlStore::Used SqlStore::Usage() const {
  return {state_->usage.rows(), state_->usage.bytes(), state_->usage.log_bytes()};
}
void SqlStore::CloseIdleReaders() {
  state_->readers.CloseIdle(state_->options.clock->MonotonicMs() - kIdleReaderMs);
}

void SqlStore::KeepAll() {
  if (Status kept = KeepUses(); !kept)
    base::LogWarn("the times of recent reads are not stored", {{"reason", kept.error().message}});
  if (Status kept = state_->fields->refreshes().Count() > 0 ? state_->KeepFields() : Status();
      !kept)
    base::LogWarn("reads of working memory may not count for its expiry",
                  {{"reason", kept.error().message}});
  if (Status kept = state_->cell_clock->KeepSeen(); !kept)
    base::LogWarn("items may expire later", {{"reason", kept.error().message}});
}

}  // namespace memory
