// One FTS5 table in an in-memory database.
#include "lib/sqlite/scratch_index.h"

#include "lib/sqlite/errors.h"
#include "lib/sqlite/library.h"

namespace sqlite {

using base::Code;
using base::Error;
using base::Result;
using base::Status;

namespace {

// Titles and tags have the weights of the ranker.
constexpr const char* kTable =
    "PRAGMA journal_mode=OFF; CREATE VIRTUAL TABLE words USING fts5(title, content, tags, grams, "
    "content='', tokenize='" SQLITE_TOKENIZER
    "');"
    "INSERT INTO words(words, rank) VALUES('rank', 'bm25(1.5, 1.0, 1.2, 1.0)'); BEGIN";

}  // namespace

Result<ScratchIndex> ScratchIndex::Make() {
  ConfigureLibrary();
  sqlite3* raw = nullptr;
  int rc = sqlite3_open_v2(
      ":memory:", &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  Handle handle(raw);
  if (rc == SQLITE_OK) rc = sqlite3_exec(raw, kTable, nullptr, nullptr, nullptr);
  sqlite3_stmt* add = nullptr;
  if (rc == SQLITE_OK) {
    rc = sqlite3_prepare_v2(raw,
                            "INSERT INTO words(rowid, title, content, tags, grams) "
                            "VALUES(?1, ?2, ?3, ?4, ?5)",
                            -1, &add, nullptr);
  }
  if (rc != SQLITE_OK) return MakeError(raw, rc, "make an index in memory");
  return ScratchIndex(std::move(handle), Compiled(add));
}

Status ScratchIndex::Add(int64_t number, std::string_view title, std::string_view content,
                         std::string_view tags, std::string_view grams) {
  sqlite3_bind_int64(add_.get(), 1, number);
  int column = 2;
  // The texts outlive the statement.
  for (std::string_view text : {title, content, tags, grams}) {
    sqlite3_bind_text64(add_.get(), column++, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  }
  sqlite3_step(add_.get());
  int rc = sqlite3_reset(add_.get());
  sqlite3_clear_bindings(add_.get());
  if (rc != SQLITE_OK) return MakeError(handle_.get(), rc, "add to an index in memory");
  return {};
}

Result<std::vector<ScratchIndex::Hit>> ScratchIndex::Match(std::string_view expression) {
  sqlite3_stmt* raw = nullptr;
  int rc = sqlite3_prepare_v2(handle_.get(),
                              "SELECT rowid, rank FROM words WHERE words MATCH ?1 "
                              "ORDER BY rank, rowid DESC",
                              -1, &raw, nullptr);
  Compiled read(raw);
  if (rc != SQLITE_OK) return MakeError(handle_.get(), rc, "read an index in memory");
  sqlite3_bind_text64(raw, 1, expression.data(), expression.size(), SQLITE_STATIC, SQLITE_UTF8);
  std::vector<Hit> hits;
  while ((rc = sqlite3_step(raw)) == SQLITE_ROW)
    hits.push_back({sqlite3_column_int64(raw, 0), sqlite3_column_double(raw, 1)});
  if (rc == SQLITE_DONE) return hits;
  if (rc == SQLITE_ERROR) return Error{Code::kInvalid, sqlite3_errmsg(handle_.get())};
  return MakeError(handle_.get(), rc, "read an index in memory");
}

}  // namespace sqlite
