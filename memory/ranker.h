// Finds the rows of some ranges that answer a question, best first. FTS5 is used to find rows and
// count words only; the ranking is ours (scoring.h), so another index can stand behind the same
// call.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/sqlite/database.h"
#include "memory/scoring.h"
#include "memory/words.h"

namespace memory {

struct RankQuery {
  std::string text;             // what the caller asks
  bool operators = false;       // text is an FTS5 expression (syntax=fts5)
  std::vector<int64_t> ranges;  // slot ranges to search; empty: all
  std::optional<std::string>
      type;  // only rows of this type; without it no audit and security records
  std::optional<int64_t> project;  // only rows written in this project
  bool neighbours = false;         // rows beside a match may be returned too (rulings K48)
  size_t limit = 10;
  int64_t deadline_ms = 250;  // then what was found so far is ranked
};

struct Ranking {
  std::vector<Scored> rows;
  bool partial = false;  // the deadline came first
};

// Bound to one connection, whose thread calls it.
class Ranker {
 public:
  static base::Result<Ranker> Make(sqlite::Database& database);
  Ranker(Ranker&&) noexcept;
  ~Ranker();
  // kInvalid: a malformed expression with `operators`.
  base::Result<Ranking> Rank(sqlite::Database& database, const RankQuery& query);

  struct Sink;  // where FTS5 puts what it finds

 private:
  explicit Ranker(std::unique_ptr<Sink> sink);
  std::unique_ptr<Sink> sink_;
};

}  // namespace memory
