// A snapshot finds candidates; the writer gets them in small batches between other writes, and each
// is looked at again before it is hidden.
#include "memory/keeping/sweeping.h"

#include <algorithm>
#include <span>
#include <utility>

#include "memory/keeping/deletions.h"

namespace memory {

using base::Result;
using base::Status;

namespace {

constexpr size_t kBatch = 100;           // rows of one write
constexpr int64_t kKeysAtOnce = 500;     // of one write
constexpr int64_t kLookAt = 2000;        // rows of one snapshot
constexpr int64_t kLookARound = 50'000;  // rows; the next round continues
constexpr int64_t kMostCapped = 20'000;  // of one rule in one round

// → how many; at least 1 if there may be more.
Result<int64_t> RemoveSome(SweepRows& rows, const std::string& salt, int64_t hidden_until_ms,
                           int64_t used_since_ms) {
  ASSIGN_OR_RETURN(const auto due, rows.FindRemovable(hidden_until_ms, used_since_ms, kBatch));
  int64_t removed = 0;
  for (const RowId row : due) {
    // A trace with many edges takes several transactions.
    ASSIGN_OR_RETURN(const bool unlinked, rows.Unlink(row));
    if (!unlinked) return std::max<int64_t>(removed, 1);
    ASSIGN_OR_RETURN(const bool retired, rows.IsRetired(row));
    // An earlier version may have deleted it without an entry.
    if (!retired) RETURN_IF_ERROR(NoteDeletion(rows.deletions(), salt, row));
    RETURN_IF_ERROR(rows.Remove(row));
    ++removed;
  }
  return removed;
}

// The following look at a row again, and return their changes.
Result<int64_t> RestoreOne(SweepRows& rows, RowId row) {
  ASSIGN_OR_RETURN(const bool retired, rows.IsRetired(row));
  if (!retired) return 0;  // deleted since the scan
  ASSIGN_OR_RETURN(const bool shown, rows.Show(row));
  return shown ? 1 : 0;
}

Result<int64_t> HideIfExpired(SweepRows& rows, RowId row, int64_t now_ms) {
  ASSIGN_OR_RETURN(const auto here, rows.Find(row));
  if (!here || !here->expired) return 0;
  RETURN_IF_ERROR(rows.Retire(row, kRetiredByTtl, now_ms));
  return 1;
}

Result<int64_t> HideIfUnused(SweepRows& rows, const SweepRow& row, int64_t used_since_ms,
                             int64_t now_ms) {
  ASSIGN_OR_RETURN(const auto here, rows.Find(row.row));
  if (!here || here->used_ms != row.used_ms || rows.WasJustUsed(row, used_since_ms)) return 0;
  RETURN_IF_ERROR(rows.Retire(row.row, kRetiredByCap, now_ms));
  return 1;
}

RowsOfRule RowsOf(int64_t project, const RetentionRule& rule, const RetentionRules& rules) {
  RowsOfRule of{project, rule, {}};
  for (const RetentionRule& other : rules) {
    if (other.scope == rule.scope && other.type != "*") of.other_types.push_back(other.type);
  }
  return of;
}

// The steps of a round.
struct Round {
  const Sweeping& with;
  SweepState& state;
  const std::stop_token stop;
  Swept swept = {};

  int64_t now_ms() const { return with.clock.NowMs(); }
  int64_t used_since_ms() const { return now_ms() - with.keep_used_ms; }

  // A step returns its changes. It frees space, and the writer may run it twice.
  Status Write(int64_t& total, const auto& step) {
    int64_t done = 0;
    const auto work = [&](SweepRows& rows) -> Status {
      ASSIGN_OR_RETURN(done, step(rows));
      return {};
    };
    RETURN_IF_ERROR(with.host.Write(work, SweepHost::Space::kFrees));
    total += done;
    return {};
  }

  Status Each(const auto& found, int64_t& total, const auto& step) {
    for (size_t first = 0; first < found.size() && !stop.stop_requested(); first += kBatch) {
      const auto part = std::span(found).subspan(first, std::min(kBatch, found.size() - first));
      RETURN_IF_ERROR(Write(total, [&](SweepRows& rows) -> Result<int64_t> {
        int64_t done = 0;
        for (const auto& row : part) {
          ASSIGN_OR_RETURN(const int64_t did, step(rows, row));
          done += did;
        }
        return done;
      }));
    }
    return {};
  }

  // Repeats a bounded step until it finds nothing more.
  Status Drain(int64_t& total, const auto& step) {
    for (int64_t before = total - 1; total > before && !stop.stop_requested();) {
      before = total;
      RETURN_IF_ERROR(Write(total, step));
    }
    return {};
  }

  Status Read(auto& found, const auto& look) {
    return with.host.ReadUnhurried([&](SweepRows& rows) -> Status {
      ASSIGN_OR_RETURN(found, look(rows));
      return {};
    });
  }

  // First, since it frees space for later steps.
  Status Remove() {
    RETURN_IF_ERROR(Drain(swept.purged, [&](SweepRows& rows) {
      return RemoveSome(rows, with.salt, now_ms() - with.deleted_ms, used_since_ms());
    }));
    return Drain(swept.keys, [&](SweepRows& rows) {
      return rows.ForgetKeys(now_ms() - with.idempotency_ms, kKeysAtOnce);
    });
  }

  // Longer rules restore hidden rows that are not removed yet.
  Status Restore() {
    // A clock that was ahead may have hidden rows too early.
    if (now_ms() < state.swept_ms) state.rules_changed = true;
    state.swept_ms = now_ms();
    if (!state.rules_changed.exchange(false)) return {};
    for (RowId after = 0;;) {
      std::vector<RowId> found;
      RETURN_IF_ERROR(
          Read(found, [&](SweepRows& rows) { return rows.FindRestorable(after, kLookAt); }));
      if (found.empty()) return {};
      after = found.back();
      RETURN_IF_ERROR(Each(found, swept.restored, RestoreOne));
      if (!stop.stop_requested()) continue;
      state.rules_changed = true;  // the next round continues
      return {};
    }
  }

  Status HideExpired() {
    if (!with.policy()->Ends()) return {};
    for (int64_t looked = 0; looked < kLookARound && !stop.stop_requested(); looked += kLookAt) {
      SweepPage found;
      RETURN_IF_ERROR(Read(found, [&](SweepRows& rows) {
        return rows.Scan(state.place, with.deleted_ms, kLookAt);
      }));
      RETURN_IF_ERROR(Each(found.old_texts, swept.revisions, [&](SweepRows& rows, RowId row) {
        return rows.RemoveOldTexts(row, with.deleted_ms);
      }));
      RETURN_IF_ERROR(Each(found.expired, swept.lapsed, [&](SweepRows& rows, RowId row) {
        return HideIfExpired(rows, row, now_ms());
      }));
      if (found.end) return {};
    }
    return {};
  }

  Status HideCapped() {
    const auto policy = with.policy();
    if (!policy->Caps()) return {};
    std::vector<int64_t> projects;
    RETURN_IF_ERROR(Read(projects, [](SweepRows& rows) { return rows.Projects(); }));
    for (const int64_t project : projects) {
      const RetentionRules& rules = policy->For(project);
      for (const RetentionRule& rule : rules) {
        if (rule.max_rows == 0 || stop.stop_requested()) continue;
        RETURN_IF_ERROR(HideAbove(RowsOf(project, rule, rules)));
      }
    }
    return {};
  }

  Status HideAbove(const RowsOfRule& of) {
    int64_t most = 0;
    std::vector<SweepRow> found;
    RETURN_IF_ERROR(Read(found, [&](SweepRows& rows) -> Result<std::vector<SweepRow>> {
      ASSIGN_OR_RETURN(most, rows.CountAbove(of));
      most = std::min(most, kMostCapped);
      return most > 0 ? rows.FindUnused(of, used_since_ms(), most) : std::vector<SweepRow>();
    }));
    swept.cap_exempt += most - std::ssize(found);
    return Each(found, swept.capped, [&](SweepRows& rows, const SweepRow& row) {
      return HideIfUnused(rows, row, used_since_ms(), now_ms());
    });
  }
};

}  // namespace

Result<Swept> SweepObservations(const Sweeping& sweeping, SweepState& state, std::stop_token stop) {
  Round round{sweeping, state, std::move(stop)};
  RETURN_IF_ERROR(round.Remove());
  RETURN_IF_ERROR(round.Restore());
  RETURN_IF_ERROR(round.HideExpired());
  if (sweeping.uses_kept) RETURN_IF_ERROR(round.HideCapped());
  return round.swept;
}

}  // namespace memory
