// A query to the ranker and to the finders below it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "memory/model/fusion.h"

namespace memory {

// What the question says, as the vectors of rows say it. No values: words alone find and rank.
struct Meaning {
  std::vector<int8_t> values;
  int64_t model = 0;  // vectors of other models are none
  FusionWeights weights;
  bool remote = false;  // of a model that is asked: its rows lie in `remote_vectors`
};

struct RankQuery {
  std::string text;             // what the caller asks
  bool operators = false;       // text is an FTS5 expression (syntax=fts5)
  std::vector<int64_t> ranges;  // slot ranges to search; empty: all
  std::optional<std::string>
      type;  // only rows of this type; without it no audit and security records
  std::optional<int64_t> project;  // only rows written in this project
  // Only rows that it admits; it may read the snapshot. Null: all.
  std::function<base::Result<bool>(int64_t slot)> admits = nullptr;
  bool neighbours = false;  // rows beside a match may be returned too
  size_t limit = 10;
  int64_t deadline_ms = 250;  // then what was found so far is ranked
  std::stop_token stop;       // the same when nobody waits for the answer any more
  Meaning meaning;
  Meaning remote_meaning;    // goes before it, where the rows are few enough to be read
  bool even_behind = false;  // search although rows wait for the index (waiting.h)
};

}  // namespace memory
