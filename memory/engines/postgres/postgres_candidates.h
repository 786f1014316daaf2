// What searches ask of a tenant in the shared database, by one connection from Begin to End.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "memory/engines/postgres/tenant.h"
#include "memory/sqlite/ranking/sql_candidates.h"
#include "memory/sqlite/ranking/text_indexes.h"

namespace memory {

// Words are found by the resident indexes; else by reading the rows of the ranges (text_index.h).
class PostgresCandidates final : public SqlCandidates {
 public:
  explicit PostgresCandidates(std::shared_ptr<PostgresTenant> tenant)
      : tenant_(std::move(tenant)) {}
  ~PostgresCandidates() override { (void)End(); }
  sql::Database& database() override { return *lease_; }
  std::unique_ptr<TextCandidates> Items(int64_t now_ms) override;

  // Also without a snapshot.
  base::Result<std::vector<RangeCounts>> Count(std::span<const int64_t> ranges) override;
  base::Result<bool> AnyOldTerms() override { return false; }
  base::Result<bool> AnyWaits(const std::vector<int64_t>&) override { return false; }
  base::Result<bool> FindWords(const Question& question, const SearchBounds& bounds,
                               Matches& found) override;
  base::Result<bool> FindExpression(const std::string& expression, const SearchBounds& bounds,
                                    Matches& found) override;
  base::Result<int64_t> Version() override { return version_; }
  // A snapshot that is as new as the indexes, by one round trip.
  base::Status Begin() override;
  base::Status End() override;
  base::Status Renew() override;
  std::vector<RangeIndex::Word> WordsOf(const IndexedRow& row) const override;
  std::optional<std::vector<WordKeys>> KeysOf(const Question& question) const override;

 private:
  class ItemTexts;
  base::Result<bool> Read(const SearchBounds& bounds);  // → whether the bounds cut it
  base::Status BeginAhead();
  TextIndex& texts() const;
  const std::shared_ptr<PostgresTenant> tenant_;
  mutable std::unique_ptr<TextIndex> texts_;  // borrowed when it is needed, until End
  postgres::Pool::Lease lease_;               // while there is a snapshot
  int64_t version_ = 0;                       // of the snapshot
};

}  // namespace memory
