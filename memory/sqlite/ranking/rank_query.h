// A query to the ranker and to the finders below it.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace memory {

struct RankQuery {
  std::string text;             // what the caller asks
  bool operators = false;       // text is an FTS5 expression (syntax=fts5)
  std::vector<int64_t> ranges;  // slot ranges to search; empty: all
  std::optional<std::string>
      type;  // only rows of this type; without it no audit and security records
  std::optional<int64_t> project;  // only rows written in this project
  bool neighbours = false;         // rows beside a match may be returned too
  size_t limit = 10;
  int64_t deadline_ms = 250;  // then what was found so far is ranked
  std::stop_token stop;       // the same when nobody waits for the answer any more
  bool even_behind = false;   // search although rows wait for the index (waiting.h)
};

}  // namespace memory
