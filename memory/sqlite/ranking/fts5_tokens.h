// FTS5's own tokenizer, for the resident index: texts are tokenized exactly as in the full-text
// table, so that both find the same rows.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "lib/sqlite/database.h"
#include "memory/model/postings.h"
#include "memory/model/words.h"

namespace memory {

// Bound to one connection, whose thread calls it.
class Tokens {
 public:
  static base::Result<Tokens> Make(sqlite::Database& database);
  Tokens(Tokens&&) noexcept;
  Tokens& operator=(Tokens&&) noexcept;
  ~Tokens();

  // The words of a row, once each. The columns are those of the full-text table.
  std::vector<RangeIndex::Word> OfRow(std::string_view title, std::string_view content,
                                      std::string_view tags, std::string_view grams) const;
  // The words of a query; nullopt if one is a phrase of several tokens, which FTS5 must find.
  std::optional<std::vector<WordKeys>> OfQuestion(const Question& question) const;

 private:
  struct Cutter;
  explicit Tokens(std::unique_ptr<Cutter> cutter);
  std::unique_ptr<Cutter> cutter_;
};

// FTS5's extension API of this connection; null without FTS5.
fts5_api* Fts5Of(sqlite::Database& database);

}  // namespace memory
