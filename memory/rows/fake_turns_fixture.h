// Test code: turns in memory, the second engine of the seam. Keeps no transactions: what a refused
// call wrote stays.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "memory/rows/turns.h"

namespace memory {

class FakeTurns final : public TurnRows {
 public:
  base::Result<int64_t> CountPending() override { return Count(kTurnPending); }
  base::Result<int64_t> CountPendingOf(const std::string& owner) override {
    return std::count_if(rows_.begin(), rows_.end(), [&](const TurnRow& row) {
      return row.state == kTurnPending && row.owner == owner;
    });
  }
  base::Result<int64_t> CountFailed() override { return Count(kTurnFailed); }
  base::Result<std::optional<TurnRow>> Find(const std::string& id) override {
    for (TurnRow row : rows_) {
      if (row.id != id) continue;
      row.context = row.body = "";
      return std::optional(std::move(row));
    }
    return std::optional<TurnRow>();
  }
  base::Result<std::optional<std::string>> OwnerAfter(const std::string& after) override {
    std::set<std::string> owners;
    for (const TurnRow& row : rows_)
      if (row.state == kTurnPending && row.owner > after) owners.insert(row.owner);
    return owners.empty() ? std::nullopt : std::optional(*owners.begin());
  }
  base::Result<std::optional<TurnRow>> NextOf(const std::string& owner) override {
    const TurnRow* next = nullptr;
    for (const TurnRow& row : rows_) {
      if (row.state != kTurnPending || row.owner != owner) continue;
      if (!next || row.tries < next->tries) next = &row;
    }
    return next ? std::optional(*next) : std::nullopt;
  }
  base::Status Add(const TurnRow& row) override {
    rows_.push_back(row);
    return {};
  }
  base::Status SetState(const std::string& id, const char* state, int64_t tries,
                        const std::string& reason) override {
    return Change(id, [&](TurnRow& row) {
      row.state = state;
      row.tries = tries;
      row.reason = reason;
    });
  }
  base::Status Finish(const std::string& id, const std::string& facts) override {
    return Change(id, [&](TurnRow& row) {
      row.state = kTurnDone;
      row.facts = facts;
      row.body = "{}";
    });
  }
  base::Result<bool> HasDone(int64_t before_ms) override {
    return std::any_of(rows_.begin(), rows_.end(),
                       [&](const TurnRow& row) { return IsDone(row, before_ms); });
  }
  base::Result<int64_t> RemoveDone(int64_t before_ms, int64_t limit) override {
    return static_cast<int64_t>(std::erase_if(
        rows_, [&](const TurnRow& row) { return IsDone(row, before_ms) && limit-- > 0; }));
  }
  base::Result<TurnTokens> TokensOf(const std::string& owner) override { return tokens_[owner]; }
  base::Status SetTokens(const std::string& owner, const TurnTokens& tokens) override {
    tokens_[owner] = tokens;
    return {};
  }

 private:
  static bool IsDone(const TurnRow& row, int64_t before_ms) {
    return row.state == kTurnDone && row.received_ms < before_ms;
  }
  int64_t Count(const char* state) const {
    return std::count_if(rows_.begin(), rows_.end(),
                         [&](const TurnRow& row) { return row.state == state; });
  }
  base::Status Change(const std::string& id, const std::function<void(TurnRow&)>& change) {
    for (TurnRow& row : rows_)
      if (row.id == id) change(row);
    return {};
  }
  std::vector<TurnRow> rows_;  // in order of arrival
  std::map<std::string, TurnTokens> tokens_;
};

}  // namespace memory
