// What searches ask of a tenant's file, by one connection of it.
#pragma once

#include <memory>

#include "lib/sqlite/database.h"
#include "memory/rows/candidates.h"
#include "memory/sqlite/ranking/fts5_finder.h"
#include "memory/sqlite/ranking/fts5_tokens.h"
#include "memory/sqlite/tables/uncut.h"

namespace memory {

// Owns the connection, whose thread calls it.
class SqliteCandidates : public Candidates {
 public:
  static base::Result<std::unique_ptr<SqliteCandidates>> Make(sqlite::Database database);
  sqlite::Database& database() { return database_; }

  base::Result<std::vector<RangeCounts>> Count(std::span<const int64_t> ranges) override;
  base::Result<bool> AnyOldTerms() override { return AnyOldTerms(kUncutObservations); }
  base::Result<bool> AnyWaits(const std::vector<int64_t>& ranges) override;
  base::Result<bool> FindWords(const Question& question, const SearchBounds& bounds,
                               Matches& found) override;
  base::Result<bool> FindExpression(const std::string& expression, const SearchBounds& bounds,
                                    Matches& found) override;
  base::Result<std::vector<Record>> RecordsOf(const Matches& found,
                                              const std::vector<Match>& rows) override;
  base::Status AppendNeighbours(const std::vector<int64_t>& ranges,
                                const std::vector<Record>& records, int64_t reach,
                                std::vector<Record>& neighbours) override;
  base::Result<bool> AppendNear(const VectorQuery& query, const SearchBounds& bounds,
                                std::vector<Similarity>& near) override;
  base::Status VisitTopics(int64_t range, const std::string& first, const std::string& end,
                           const VisitTopic& visit) override;
  base::Result<std::optional<LiveRow>> FindLive(int64_t slot) override;
  base::Result<int64_t> Version() override;
  base::Status Begin() override;
  base::Status End() override;
  base::Status VisitIndexedRows(int64_t first, int64_t last, int64_t model,
                                const VisitIndexed& visit) override;
  std::vector<RangeIndex::Word> WordsOf(const IndexedRow& row) const override;
  std::optional<std::vector<WordKeys>> KeysOf(const Question& question) const override;

 private:
  friend class SqliteTexts;
  SqliteCandidates(sqlite::Database database, Fts5Finder fts5, Tokens tokens)
      : database_(std::move(database)), fts5_(std::move(fts5)), tokens_(std::move(tokens)) {}
  base::Result<bool> AnyOldTerms(Uncut what);
  sqlite::Database database_;
  Fts5Finder fts5_;
  Tokens tokens_;
  bool cut_[2] = {false, false};  // of an Uncut: all have new terms, once and for all
};

// SQL literals over a table of texts and its FTS5 table.
struct TextTable {
  const char* find;  // Fts5Finder::Find
  // slot, words, marks, created_ms of those slots of the JSON list ?1 that are live at ?2.
  const char* facts;
  const char* counts;  // rows, words of project ?1
};

class SqliteTexts : public TextCandidates {
 public:
  SqliteTexts(SqliteCandidates& candidates, const TextTable& table, int64_t now_ms)
      : candidates_(candidates), table_(table), now_ms_(now_ms) {}
  base::Result<bool> AnyOldTerms() override { return candidates_.AnyOldTerms(kUncutItems); }
  base::Result<RangeCounts> Count(int64_t project) override;
  base::Result<bool> FindWords(const Question& question, const SearchBounds& bounds,
                               Matches& found) override;
  base::Result<std::vector<Record>> RecordsOf(const Matches& found,
                                              const std::vector<Match>& rows) override;

 private:
  SqliteCandidates& candidates_;
  const TextTable& table_;
  const int64_t now_ms_;
};

}  // namespace memory
