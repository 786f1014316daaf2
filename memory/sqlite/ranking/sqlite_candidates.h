// What searches ask of a tenant's file, by one connection of it.
#pragma once

#include <memory>

#include "lib/sqlite/database.h"
#include "memory/sqlite/ranking/fts5_finder.h"
#include "memory/sqlite/ranking/fts5_tokens.h"
#include "memory/sqlite/ranking/sql_candidates.h"
#include "memory/sqlite/tables/uncut.h"

namespace memory {

// Owns the connection, whose thread calls it.
class SqliteCandidates final : public SqlCandidates {
 public:
  static base::Result<std::unique_ptr<SqliteCandidates>> Make(sqlite::Database database);
  sqlite::Database& database() override { return database_; }
  std::unique_ptr<TextCandidates> Items(int64_t now_ms) override;

  base::Result<bool> AnyOldTerms() override { return AnyOldTerms(kUncutObservations); }
  base::Result<bool> AnyWaits(const std::vector<int64_t>& ranges) override;
  base::Result<bool> FindWords(const Question& question, const SearchBounds& bounds,
                               Matches& found) override;
  base::Result<bool> FindExpression(const std::string& expression, const SearchBounds& bounds,
                                    Matches& found) override;
  base::Status Begin() override;
  base::Status End() override;
  base::Status Renew() override;
  std::vector<RangeIndex::Word> WordsOf(const IndexedRow& row) const override;
  std::optional<std::vector<WordKeys>> KeysOf(const Question& question) const override;

 private:
  class ItemTexts;
  SqliteCandidates(sqlite::Database database, Fts5Finder fts5, Tokens tokens)
      : database_(std::move(database)), fts5_(std::move(fts5)), tokens_(std::move(tokens)) {}
  base::Result<bool> AnyOldTerms(Uncut what);
  sqlite::Database database_;
  Fts5Finder fts5_;
  Tokens tokens_;
  bool cut_[2] = {false, false};  // of an Uncut: all have new terms, once and for all
};

}  // namespace memory
