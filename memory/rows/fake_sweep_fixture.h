// Test code: retention over observations in memory, the second engine of the seam. Here rows expire
// for the sweep alone: sweep before a call that may meet an expired row.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "lib/base/process/clock.h"
#include "memory/rows/fake_observations_fixture.h"
#include "memory/rows/sweep.h"

namespace memory {

class FakeSweep final : public SweepRows {
 public:
  FakeSweep(FakeObservations& rows, const base::Clock& clock) : rows_(rows), clock_(clock) {}

  base::Result<SweepPage> Scan(SweepPlace& place, int64_t old_ms, int64_t most) override {
    SweepPage found;
    auto at = static_cast<size_t>(place.id);
    for (; at < rows_.rows_.size() && most > 0; ++at) {
      const Row& row = rows_.rows_[at];
      if (row.state != State::kLive) continue;
      --most;
      if (IsExpired(row)) found.expired.push_back(rows_.RowAt(at));
      if (CountOld(row, old_ms) > 0) found.old_texts.push_back(rows_.RowAt(at));
    }
    found.end = most > 0;
    place = SweepPlace();
    if (!found.end) place.id = static_cast<int64_t>(at);
    return found;
  }
  base::Result<std::optional<SweepRow>> Find(RowId row) override {
    const Row& at = rows_.At(row);
    if (at.state != State::kLive) return std::optional<SweepRow>();
    return std::optional(SweepRow{row, at.text.id, UsedMs(row), IsExpired(at)});
  }
  base::Status Retire(RowId row, const char* reason, int64_t now_ms) override {
    rows_.At(row).state = State::kRetired;
    rows_.At(row).hidden_ms = now_ms;
    reasons_[row] = reason;
    return {};
  }
  base::Result<int64_t> RemoveOldTexts(RowId row, int64_t old_ms) override {
    Row& at = rows_.At(row);
    const int64_t old = CountOld(at, old_ms);
    at.history.erase(at.history.begin(), at.history.begin() + old);
    at.replaced_ms.erase(at.replaced_ms.begin(), at.replaced_ms.begin() + old);
    return old;
  }

  base::Result<std::vector<int64_t>> Projects() override {
    std::vector<int64_t> numbers;
    for (const auto& [name, number] : rows_.projects_) numbers.push_back(number);
    return numbers;
  }
  base::Result<int64_t> CountAbove(const RowsOfRule& of) override {
    const int64_t above = std::ssize(RowsOf(of)) - of.rule.max_rows;
    return std::max<int64_t>(above, 0);
  }
  base::Result<std::vector<SweepRow>> FindUnused(const RowsOfRule& of, int64_t since_ms,
                                                 int64_t most) override {
    std::vector<SweepRow> found;
    for (const RowId row : RowsOf(of)) {
      const api::Observation& text = rows_.At(row).text;
      const int64_t again_ms = text.duplicate_count > 0 ? text.last_seen_ms : 0;
      if (std::max(used_ms[row], again_ms) < since_ms) found.push_back({row, text.id, UsedMs(row)});
    }
    std::ranges::sort(found, {},
                      [](const SweepRow& one) { return std::pair(one.used_ms, one.row); });
    if (std::ssize(found) > most) found.resize(static_cast<size_t>(most));
    return found;
  }
  bool WasJustUsed(const SweepRow& row, int64_t since_ms) override {
    const auto use = just_used_ms.find(row.row);
    return use != just_used_ms.end() && use->second >= since_ms;
  }

  base::Result<bool> IsRetired(RowId row) override {
    return rows_.At(row).state == State::kRetired;
  }
  base::Result<std::vector<RowId>> FindRestorable(RowId after, int64_t most) override {
    std::vector<RowId> found;
    for (size_t at = 0; at < rows_.rows_.size(); ++at) {
      const RowId row = rows_.RowAt(at);
      const Row& here = rows_.rows_[at];
      if (row > after && here.state == State::kRetired && reasons_[row] == kRetiredByTtl &&
          !IsExpired(here) && std::ssize(found) < most)
        found.push_back(row);
    }
    return found;
  }
  base::Result<bool> Show(RowId row) override { return rows_.Show(row); }

  base::Result<std::vector<RowId>> FindRemovable(int64_t hidden_until_ms, int64_t used_since_ms,
                                                 int64_t most) override {
    std::vector<std::pair<int64_t, RowId>> found;
    for (size_t at = 0; at < rows_.rows_.size(); ++at) {
      const Row& here = rows_.rows_[at];
      const RowId row = rows_.RowAt(at);
      const bool hidden = here.state == State::kHidden || here.state == State::kRetired;
      if (!hidden || here.hidden_ms > hidden_until_ms) continue;
      if (here.state == State::kHidden || UsedMs(row) < used_since_ms)
        found.emplace_back(here.hidden_ms, row);
    }
    std::ranges::sort(found);
    std::vector<RowId> first;
    for (const auto& [hidden_ms, row] : found)
      if (most-- > 0) first.push_back(row);
    return first;
  }
  base::Result<bool> Unlink(RowId row) override { return steps_of_edges[row]-- <= 0; }
  base::Status Remove(RowId row) override {
    rows_.Remove(row);
    return {};
  }
  Deletions& deletions() override { return rows_.deletions(); }
  base::Result<int64_t> ForgetKeys(int64_t used_before_ms, int64_t most) override {
    return std::erase_if(keys_used_ms,
                         [&](int64_t used_ms) { return used_ms < used_before_ms && most-- > 0; });
  }

  RetentionPolicy policy;  // in force
  std::map<RowId, int64_t> used_ms, just_used_ms;
  std::map<RowId, int> steps_of_edges;  // how often Unlink leaves some
  std::vector<int64_t> keys_used_ms;

 private:
  using Row = FakeObservations::Row;
  using State = FakeObservations::State;
  int64_t KeptSince(const Row& row) const {
    return policy.KeptSince(row.location.project, row.text.scope, row.text.type, clock_.NowMs());
  }
  bool IsExpired(const Row& row) const {
    return std::max(row.text.updated_ms, row.text.last_seen_ms) <= KeptSince(row);
  }
  int64_t CountOld(const Row& row, int64_t old_ms) const {
    return std::ranges::count_if(row.replaced_ms, [&](int64_t replaced_ms) {
      return replaced_ms + old_ms <= KeptSince(row);
    });
  }
  int64_t UsedMs(RowId row) {
    const api::Observation& text = rows_.At(row).text;
    return std::max({text.updated_ms, text.last_seen_ms, used_ms[row]});
  }
  std::vector<RowId> RowsOf(const RowsOfRule& of) {
    std::vector<RowId> found;
    for (size_t at = 0; at < rows_.rows_.size(); ++at) {
      const Row& row = rows_.rows_[at];
      const auto& others = of.other_types;
      const bool asked =
          of.rule.type == row.text.type ||
          (of.rule.type == "*" && std::ranges::find(others, row.text.type) == others.end());
      if (row.state == State::kLive && !IsExpired(row) && asked &&
          row.text.scope == of.rule.scope && row.location.project == of.project)
        found.push_back(rows_.RowAt(at));
    }
    return found;
  }

  FakeObservations& rows_;
  const base::Clock& clock_;
  std::map<RowId, std::string> reasons_;
};

}  // namespace memory
