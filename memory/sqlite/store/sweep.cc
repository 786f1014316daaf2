// One round of retention. A reader finds candidates; the writer gets them in small batches between
// other writes and checks them again. sweep_steps.h has the SQL.
#include <algorithm>
#include <functional>
#include <span>

#include "lib/base/process/log.h"
#include "memory/sqlite/removal/sweep_steps.h"
#include "memory/sqlite/store/state.h"
#include "memory/sqlite/tables/live.h"
#include "memory/sqlite/tables/retired.h"
#include "memory/sqlite/tables/rows.h"

namespace memory {

using base::Result;
using base::Status;
using sqlite::Database;
using sqlite::Statement;

namespace {

constexpr size_t kBatch = 100;          // rows of one write
constexpr size_t kUsesBatch = 2000;     // uses of one write
constexpr size_t kLookARound = 50'000;  // rows; the next round continues

// The steps of a round; `stop` ends it early.
struct Round {
  StoreState& state;
  std::stop_token stop;
  Swept swept;

  int64_t now_ms() const { return state.liveness->NowMs(); }
  int64_t used_since_ms() const { return now_ms() - state.options.keep_used_ms; }

  // `step` returns the changes for one row. The writer may run it twice, since it frees space.
  Status Each(const SweepCandidates& rows, int64_t& total,
              const std::function<Result<int64_t>(Database&, const SweepCandidate&)>& step) {
    for (size_t first = 0; first < rows.size() && !stop.stop_requested(); first += kBatch) {
      const auto part = std::span(rows).subspan(first, std::min(kBatch, rows.size() - first));
      int64_t done = 0;
      RETURN_IF_ERROR(state.writer->RunAny(
          [&](Database& database) -> Status {
            done = 0;
            for (const SweepCandidate& row : part) {
              ASSIGN_OR_RETURN(int64_t did, step(database, row));
              done += did;
            }
            return {};
          },
          sqlite::Writer::Space::kFrees));
      total += done;
    }
    return {};
  }

  // Repeats a bounded step until it finds nothing more.
  Status Drain(int64_t& total, const std::function<Result<int64_t>(Database&)>& step) {
    for (int64_t done = 1; done > 0 && !stop.stop_requested(); total += done) {
      RETURN_IF_ERROR(state.writer->RunAny(
          [&](Database& database) -> Status {
            ASSIGN_OR_RETURN(done, step(database));
            return {};
          },
          sqlite::Writer::Space::kFrees));
    }
    return {};
  }

  // First, since it frees space for later steps.
  Status Remove() {
    RETURN_IF_ERROR(Drain(swept.purged, [&](Database& database) {
      return Purge(database, now_ms() - state.options.deleted_ms, used_since_ms(), kBatch);
    }));
    return Drain(swept.keys, [&](Database& database) {
      return ForgetKeys(database, now_ms() - state.options.idempotency_ms);
    });
  }

  // Longer rules restore hidden rows that are not removed yet.
  Status Restore() {
    // A clock that was ahead may have hidden rows too early.
    if (now_ms() < state.swept_ms) state.rules_changed = true;
    state.swept_ms = now_ms();
    if (!state.rules_changed.exchange(false)) return {};
    for (int64_t after = 0;;) {
      SweepCandidates rows;
      {
        ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::BeginUnhurried(state.readers));
        ASSIGN_OR_RETURN(rows, FindRestorable(snapshot.database(), after));
      }
      if (rows.empty()) return {};
      after = rows.back().slot;
      RETURN_IF_ERROR(Each(rows, swept.restored, [](Database& database, const SweepCandidate& row) {
        return RestoreOne(database, row.slot);
      }));
      if (!stop.stop_requested()) continue;
      state.rules_changed = true;  // the next round continues
      return {};
    }
  }

  Status HideExpired() {
    if (!state.liveness->policy()->Ends()) return {};
    const int64_t deleted_ms = state.options.deleted_ms;
    for (size_t looked = 0; looked < kLookARound && !stop.stop_requested(); looked += kLookAt) {
      ScanPage found;
      {
        ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::BeginUnhurried(state.readers));
        ASSIGN_OR_RETURN(found, ScanFrom(snapshot.database(), deleted_ms, state.sweep));
      }
      RETURN_IF_ERROR(Each(found.old_texts, swept.revisions,
                           [&](Database& database, const SweepCandidate& row) {
                             return RemoveTexts(database, row, deleted_ms);
                           }));
      RETURN_IF_ERROR(Each(found.expired, swept.lapsed,
                           [&](Database& database, const SweepCandidate& row) -> Result<int64_t> {
                             ASSIGN_OR_RETURN(bool expired, IsExpired(database, row.slot));
                             if (!expired) return 0;
                             RETURN_IF_ERROR(Retire(database, row.slot, "ttl", now_ms()));
                             return 1;
                           }));
      if (found.end) return {};
    }
    return {};
  }

  Result<std::vector<int64_t>> Projects() {
    ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::BeginUnhurried(state.readers));
    ASSIGN_OR_RETURN(Statement read, snapshot.database().Prepare("SELECT number FROM projects"));
    return read.ReadAll(IntAt);
  }

  Status HideCapped() {
    const auto policy = state.liveness->policy();
    if (!policy->Caps()) return {};
    ASSIGN_OR_RETURN(std::vector<int64_t> projects, Projects());
    for (int64_t project : projects) {
      for (const RetentionRule& rule : policy->For(project)) {
        if (rule.max_rows == 0 || stop.stop_requested()) continue;
        RETURN_IF_ERROR(HideAbove(*policy, rule, project));
      }
    }
    return {};
  }

  Status HideAbove(const RetentionPolicy& policy, const RetentionRule& rule, int64_t project) {
    Cap cap;
    {
      ASSIGN_OR_RETURN(Snapshot snapshot, Snapshot::BeginUnhurried(state.readers));
      ASSIGN_OR_RETURN(cap, FindCapped(snapshot.database(), policy.For(project), rule, project,
                                       used_since_ms()));
    }
    swept.cap_exempt += cap.exempt;
    return Each(cap.rows, swept.capped,
                [&](Database& database, const SweepCandidate& row) -> Result<int64_t> {
                  ASSIGN_OR_RETURN(bool same, IsAsItWas(database, row));
                  if (!same || state.liveness->UsedSince(row.id, used_since_ms())) return 0;
                  RETURN_IF_ERROR(Retire(database, row.slot, "cap", now_ms()));
                  return 1;
                });
  }
};

// Writes times by rows in a few transactions; `statement` writes the time ?2 of the row ?1.
Status WriteTimes(sqlite::Writer& writer, const std::unordered_map<int64_t, int64_t>& times,
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

Status SqliteStore::KeepUses() {
  RETURN_IF_ERROR(state_->KeepAccesses());
  RETURN_IF_ERROR(state_->traces->KeepRetrievals());
  const Liveness::Uses uses = state_->liveness->TakeUses();
  const Status kept =
      WriteTimes(*state_->writer, uses,
                 "INSERT INTO uses(slot, used_ms) SELECT slot, ?2 FROM observations WHERE id = ?1 "
                 "AND deleted_ms IS NULL ON CONFLICT(slot) DO UPDATE SET used_ms = max(used_ms, "
                 "excluded.used_ms)");
  if (!kept) state_->liveness->GiveBack(uses);
  return kept;
}

size_t SqliteStore::CountUses() const {
  return state_->liveness->CountUses() + state_->items->accesses().Count() +
         state_->traces->CountRetrievals();
}

Status SqliteStore::KeepFieldsIfDue() {
  return state_->fields->Due() ? state_->KeepFields() : Status();
}

Result<Swept> SqliteStore::Sweep(std::stop_token stop) {
  Round round{*state_, std::move(stop), {}};
  const Status kept = KeepUses();
  RETURN_IF_ERROR(state_->items->KeepClock());
  ASSIGN_OR_RETURN(round.swept.items, state_->items->Sweep(round.stop));
  ASSIGN_OR_RETURN(round.swept.fields, state_->SweepFields(round.stop));
  ASSIGN_OR_RETURN(round.swept.shared, state_->shared->Sweep(round.stop));
  RETURN_IF_ERROR(state_->consolidation->Sweep());
  RETURN_IF_ERROR(state_->turns->Sweep());
  RETURN_IF_ERROR(round.Remove());
  RETURN_IF_ERROR(round.Restore());
  RETURN_IF_ERROR(round.HideExpired());
  // Without persisted uses no cap evicts rows: on a full volume, until there is space.
  if (kept)
    RETURN_IF_ERROR(round.HideCapped());
  else
    base::LogWarn("retention by maxRows waits until the times of recent reads are stored",
                  {{"reason", kept.error().message}});
  return round.swept;
}

}  // namespace memory
