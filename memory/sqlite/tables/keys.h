// Idempotency-Keys with their answers, in a file, inside the caller's transaction.
#pragma once

#include <optional>
#include <string>

#include "lib/sql/database.h"
#include "memory/rows/answers.h"

namespace memory {

base::Result<std::string> SaltOf(sql::Database& database);  // random, of the file

class SqliteAnswers final : public Answers {
 public:
  explicit SqliteAnswers(sql::Database& database) : database_(database) {}
  base::Result<std::optional<KeptAnswer>> Find(const std::string& key, int64_t oldest_ms) override;
  base::Status Keep(const std::string& key, const KeptAnswer& answer, int64_t now_ms) override;

 private:
  sql::Database& database_;
};

}  // namespace memory
