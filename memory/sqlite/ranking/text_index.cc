// The index is a database of SQLite without a file.
#include "memory/sqlite/ranking/text_index.h"

#include <utility>

#include "lib/sqlite/scratch_index.h"

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Status;

namespace {

constexpr const char* kTable =
    "CREATE VIRTUAL TABLE words USING fts5(title, content, tags, grams, "
    "columnsize=0, tokenize='" SQLITE_TOKENIZER "')";
constexpr const char* kFind =
    "SELECT hits(words) FROM words WHERE words MATCH ?1 AND rowid BETWEEN ?2 AND ?3";

}  // namespace

Result<std::unique_ptr<TextIndex>> TextIndex::Make() {
  sqlite::Database::Options options;
  options.access = sqlite::Access::kMemory;
  ASSIGN_OR_RETURN(sqlite::Database database, sqlite::Database::Open(":memory:", options));
  RETURN_IF_ERROR(database.Execute(kTable));
  ASSIGN_OR_RETURN(Fts5Finder finder, Fts5Finder::Make(database));
  ASSIGN_OR_RETURN(Tokens tokens, Tokens::Make(database));
  return std::unique_ptr<TextIndex>(
      new TextIndex(std::move(database), std::move(finder), std::move(tokens)));
}

Status TextIndex::Add(int64_t slot, const std::string& title, const std::string& content,
                      const std::string& tags, const std::string& grams) {
  ASSIGN_OR_RETURN(sqlite::Statement put,
                   database_.Prepare("INSERT INTO words(rowid, title, content, tags, grams) "
                                     "VALUES(?1, ?2, ?3, ?4, ?5)"));
  return put.Bind(slot).Bind(title).Bind(content).Bind(tags).Bind(grams).Run();
}

Result<bool> TextIndex::Find(MatchText match, const SearchBounds& bounds, Matches& found) {
  // "*reads" and "*id" are special queries of FTS5 in which an auxiliary function crashes.
  const bool special = match.expression.starts_with('*');
  Result<bool> cut = special ? Error{Code::kInvalid, "nothing stands before the *"}
                             : finder_.Find(database_, kFind, std::move(match), bounds, found);
  if (!cut && cut.error().code == Code::kInternal)
    cut = Error{Code::kInvalid, sqlite3_errmsg(database_.handle())};
  RETURN_IF_ERROR(database_.Execute("DELETE FROM words"));
  return cut;
}

}  // namespace memory
