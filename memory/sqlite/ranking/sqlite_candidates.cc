// Searches of a file: FTS5 finds the words.
#include "memory/sqlite/ranking/sqlite_candidates.h"

#include "memory/sqlite/tables/waiting.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;

namespace {

constexpr const char* kFindWords =
    "SELECT hits(words) FROM words WHERE words MATCH ?1 AND rowid BETWEEN ?2 AND ?3";
constexpr const char* kFindItems =
    "SELECT hits(item_words) FROM item_words WHERE item_words MATCH ?1 AND rowid BETWEEN ?2 AND ?3";

Error NoExpression(const std::string& reason) {
  return Error{Code::kInvalid, "q is not a valid FTS5 expression: " + reason};
}

}  // namespace

Result<std::unique_ptr<SqliteCandidates>> SqliteCandidates::Make(sqlite::Database database) {
  ASSIGN_OR_RETURN(Fts5Finder fts5, Fts5Finder::Make(database));
  ASSIGN_OR_RETURN(Tokens tokens, Tokens::Make(database));
  return std::unique_ptr<SqliteCandidates>(
      new SqliteCandidates(std::move(database), std::move(fts5), std::move(tokens)));
}

Result<bool> SqliteCandidates::AnyOldTerms(Uncut what) {
  if (cut_[what]) return false;
  ASSIGN_OR_RETURN(const bool some, AnyUncut(database_, what));
  cut_[what] = !some;
  return some;
}

Result<bool> SqliteCandidates::AnyWaits(const std::vector<int64_t>& ranges) {
  return memory::AnyWaits(database_, ranges);
}

Result<bool> SqliteCandidates::FindWords(const Question& question, const SearchBounds& bounds,
                                         Matches& found) {
  return fts5_.Find(database_, kFindWords, AnyWordOf(question), bounds, found);
}

Result<bool> SqliteCandidates::FindExpression(const std::string& expression,
                                              const SearchBounds& bounds, Matches& found) {
  // "*reads" and "*id" are special queries of FTS5 in which an auxiliary function crashes.
  if (expression.starts_with('*')) return NoExpression("nothing stands before the *");
  Result<bool> cut = fts5_.Find(database_, kFindWords, {expression, {}}, bounds, found);
  // Only a plain SQLITE_ERROR is a fault of the expression.
  if (!cut && sqlite3_errcode(database_.handle()) == SQLITE_ERROR)
    return NoExpression(sqlite3_errmsg(database_.handle()));
  return cut;
}

Status SqliteCandidates::Begin() { return database_.BeginReading(); }
Status SqliteCandidates::End() { return database_.EndReading(); }
Status SqliteCandidates::Renew() {
  RETURN_IF_ERROR(End());
  return Begin();
}

std::vector<RangeIndex::Word> SqliteCandidates::WordsOf(const IndexedRow& row) const {
  return tokens_.OfRow(row.title, row.content, row.tags, row.grams);
}

std::optional<std::vector<WordKeys>> SqliteCandidates::KeysOf(const Question& question) const {
  return tokens_.OfQuestion(question);
}

class SqliteCandidates::ItemTexts final : public SqlItemTexts {
 public:
  ItemTexts(SqliteCandidates& candidates, int64_t now_ms)
      : SqlItemTexts(candidates.database_, now_ms), candidates_(candidates) {}
  Result<bool> AnyOldTerms() override { return candidates_.AnyOldTerms(kUncutItems); }
  Result<bool> FindWords(const Question& question, const SearchBounds& bounds,
                         Matches& found) override {
    return candidates_.fts5_.Find(candidates_.database_, kFindItems, AnyWordOf(question), bounds,
                                  found);
  }

 private:
  SqliteCandidates& candidates_;
};

std::unique_ptr<TextCandidates> SqliteCandidates::Items(int64_t now_ms) {
  return std::make_unique<ItemTexts>(*this, now_ms);
}

}  // namespace memory
