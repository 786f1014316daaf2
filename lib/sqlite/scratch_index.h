// An FTS5 index over a few texts, in memory, for one query: for texts that no index of a file
// has, such as earlier versions of an observation. Not for many texts: each is tokenized again.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"

// The FTS5 tokenizer of this index, and of any FTS5 table that must agree with it.
#define SQLITE_TOKENIZER "porter unicode61 remove_diacritics 2"

namespace sqlite {

class ScratchIndex {
 public:
  struct Hit {
    int64_t number = 0;  // as given to Add
    double rank = 0;     // BM25 among the added texts: < 0, lower is better
  };
  // Uses the tokenizer of the FTS5 tables of the files.
  static base::Result<ScratchIndex> Make();
  base::Status Add(int64_t number, std::string_view title, std::string_view content,
                   std::string_view tags, std::string_view grams);
  // Best first, ties by the higher number. kInvalid: not an FTS5 expression.
  base::Result<std::vector<Hit>> Match(std::string_view expression);

 private:
  struct Closer {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  using Handle = std::unique_ptr<sqlite3, Closer>;
  using Compiled = std::unique_ptr<sqlite3_stmt, Closer>;
  ScratchIndex(Handle handle, Compiled add) : handle_(std::move(handle)), add_(std::move(add)) {}

  Handle handle_;
  Compiled add_;  // behind handle_: finalized first
};

}  // namespace sqlite
