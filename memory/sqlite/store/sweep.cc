// What a round of retention begins with: the times of recent reads. Then each kind of row sweeps
// its own; memory/keeping/sweeping.h has the rules of observations.
#include <algorithm>
#include <span>

#include "lib/base/process/log.h"
#include "memory/sqlite/reading/row_host.h"
#include "memory/sqlite/removal/sweep_rows.h"
#include "memory/sqlite/store/state.h"

namespace memory {

using base::Result;
using base::Status;
using sql::Database;
using sql::Statement;

namespace {

constexpr size_t kUsesBatch = 2000;  // uses of one write

// Writes times by rows in a few transactions; `statement` writes the time ?2 of the row ?1.
Status WriteTimes(sql::Writer& writer, const std::unordered_map<int64_t, int64_t>& times,
                  const char* statement) {
  const std::vector<std::pair<int64_t, int64_t>> list(times.begin(), times.end());
  for (size_t first = 0; first < list.size(); first += kUsesBatch) {
    const auto part = std::span(list).subspan(first, std::min(kUsesBatch, list.size() - first));
    RETURN_IF_ERROR(writer.RunAny([&](Database& database) -> Status {
      for (const auto& [row, time_ms] : part) {
        ASSIGN_OR_RETURN(Statement keep, database.Prepare(statement));
        RETURN_IF_ERROR(keep.Bind(row).Bind(time_ms).Run());
      }
      return {};
    }));
  }
  return {};
}

}  // namespace

Status StoreState::KeepAccesses() {
  const ItemAccesses::Times accesses = items->accesses().Take();
  const Status kept = WriteTimes(
      *writer, accesses, "UPDATE items SET accessed_ms = ?2 WHERE slot = ?1 AND accessed_ms < ?2");
  if (!kept) items->accesses().GiveBack(accesses);
  return kept;
}

Status SqlStore::KeepUses() {
  RETURN_IF_ERROR(state_->KeepAccesses());
  RETURN_IF_ERROR(state_->traces->KeepRetrievals());
  const Liveness::Uses uses = state_->liveness->TakeUses();
  const Status kept = WriteTimes(
      *state_->writer, uses,
      "INSERT INTO uses(slot, used_ms) SELECT slot, ?2 FROM observations WHERE id = ?1 "
      "AND deleted_ms IS NULL ON CONFLICT(slot) DO UPDATE SET used_ms = max(uses.used_ms, "
      "excluded.used_ms)");
  if (!kept) state_->liveness->GiveBack(uses);
  return kept;
}

size_t SqlStore::CountUses() const {
  return state_->liveness->CountUses() + state_->items->accesses().Count() +
         state_->traces->CountRetrievals();
}

Status SqlStore::KeepFieldsIfDue() {
  return state_->fields->Due() ? state_->KeepFields() : Status();
}

Result<Swept> SqlStore::Sweep(std::stop_token stop) {
  const Status kept = KeepUses();
  ASSIGN_OR_RETURN(const bool may, MaySweep());
  if (!may) return Swept();
  RETURN_IF_ERROR(state_->cell_clock->KeepIfDue());
  std::map<std::string, int64_t> expired;
  ASSIGN_OR_RETURN(expired[kItemCells.name], state_->items->Sweep(stop));
  ASSIGN_OR_RETURN(expired["working_memory"], state_->SweepFields(stop));
  for (const auto& cells : state_->cells) {
    ASSIGN_OR_RETURN(expired[cells->kind().name], cells->Sweep(stop));
  }
  RETURN_IF_ERROR(state_->consolidation->Sweep());
  RETURN_IF_ERROR(state_->turns->Sweep());
  SqliteRowHost<SweepRows> host(
      {*state_->writer, state_->readers, [] { return Status(); },
       [this](Database& file) { return std::make_unique<SqliteSweep>(file, *state_->liveness); }});
  const StoreOptions& options = state_->options;
  const Sweeping sweeping{host,
                          *options.clock,
                          state_->salt,
                          [this] { return state_->liveness->policy(); },
                          options.deleted_ms,
                          options.idempotency_ms,
                          options.keep_used_ms,
                          kept.has_value()};
  ASSIGN_OR_RETURN(Swept swept, SweepObservations(sweeping, state_->sweep, std::move(stop)));
  swept.expired = std::move(expired);
  // On a full volume, until there is space.
  if (!kept)
    base::LogWarn("retention by maxRows waits until the times of recent reads are stored",
                  {{"reason", kept.error().message}});
  return swept;
}

}  // namespace memory
