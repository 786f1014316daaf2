// The rows of turns in a file, inside the caller's transaction or snapshot.
#pragma once

#include <optional>
#include <string>

#include "lib/sql/database.h"
#include "memory/rows/turns.h"

namespace memory {

class SqliteTurns final : public TurnRows {
 public:
  explicit SqliteTurns(sql::Database& database) : database_(database) {}
  base::Result<int64_t> CountPending() override;
  base::Result<int64_t> CountPendingOf(const std::string& owner) override;
  base::Result<int64_t> CountFailed() override;
  base::Result<std::optional<TurnRow>> Find(const std::string& id) override;
  base::Result<std::optional<std::string>> OwnerAfter(const std::string& after) override;
  base::Result<std::optional<TurnRow>> NextOf(const std::string& owner) override;
  base::Status Add(const TurnRow& row) override;
  base::Status SetState(const std::string& id, const char* state, int64_t tries,
                        const std::string& reason) override;
  base::Status Finish(const std::string& id, const std::string& facts) override;
  base::Result<bool> HasDone(int64_t before_ms) override;
  base::Result<int64_t> RemoveDone(int64_t before_ms, int64_t limit) override;
  base::Result<TurnTokens> TokensOf(const std::string& owner) override;
  base::Status SetTokens(const std::string& owner, const TurnTokens& tokens) override;

 private:
  sql::Database& database_;
};

}  // namespace memory
