// What searches ask of the rows of a tenant, by one connection, on any engine. The words of rows an
// engine finds in its own way.
#pragma once

#include <memory>
#include <string>

#include "lib/sql/database.h"
#include "memory/rows/candidates.h"

namespace memory {

// The thread of the connection calls it. An engine may have a connection from Begin to End only.
class SqlCandidates : public Candidates {
 public:
  virtual sql::Database& database() = 0;
  virtual base::Status Renew() = 0;  // moves to the newest commit
  // The live items at `now_ms` of the clock of expiry. Must not outlive this.
  virtual std::unique_ptr<TextCandidates> Items(int64_t now_ms) = 0;

  base::Result<std::vector<RangeCounts>> Count(std::span<const int64_t> ranges) override;
  base::Result<std::vector<Record>> RecordsOf(const Matches& found,
                                              const std::vector<Match>& rows) override;
  base::Status AppendNeighbours(const std::vector<int64_t>& ranges,
                                const std::vector<Record>& records, int64_t reach,
                                std::vector<Record>& neighbours) override;
  base::Result<bool> AppendNear(const VectorQuery& query, const SearchBounds& bounds,
                                std::vector<Similarity>& near) override;
  base::Status VisitTopics(int64_t range, const std::string& first, const std::string& end,
                           const VisitTopic& visit) override;
  base::Result<std::unordered_map<int64_t, LiveRow>> FindLive(
      std::span<const int64_t> slots) override;
  base::Result<int64_t> Version() override;
  base::Status VisitIndexedRows(int64_t first, int64_t last, int64_t model,
                                const VisitIndexed& visit) override;
};

// Items by their words; an engine adds FindWords and AnyOldTerms.
class SqlItemTexts : public TextCandidates {
 public:
  SqlItemTexts(sql::Database& database, int64_t now_ms) : database_(database), now_ms_(now_ms) {}
  base::Result<RangeCounts> Count(int64_t project) override;
  base::Result<std::vector<Record>> RecordsOf(const Matches& found,
                                              const std::vector<Match>& rows) override;

 private:
  sql::Database& database_;
  const int64_t now_ms_;
};

}  // namespace memory
