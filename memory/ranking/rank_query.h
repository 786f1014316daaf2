// A query to the ranker.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <unordered_set>
#include <vector>

#include "lib/base/result.h"
#include "memory/model/fusion.h"
#include "memory/model/piece_meaning.h"

namespace memory {

// The embedding of the query. Without values only words find and rank.
struct Meaning {
  std::vector<int8_t> values;
  int64_t model = 0;  // ignores vectors of other models
  FusionWeights weights;
  bool remote = false;                   // of the remote model
  const PieceMeaning* pieces = nullptr;  // outlives the query; null: none
  std::vector<Piece> asked;              // of the query
};

struct RankQuery {
  std::string text;             // of the caller
  bool operators = false;       // text is an FTS5 expression (syntax=fts5)
  std::vector<int64_t> ranges;  // slot ranges to search; empty: all
  std::optional<std::string>
      type;  // only rows of this type; nullopt: all but audit and security records
  std::optional<int64_t> project;  // only rows written in this project
  // Those of these rows that are eligible; may read the snapshot. Null: all are.
  using Admits =
      std::function<base::Result<std::unordered_set<int64_t>>(std::span<const int64_t> slots)>;
  Admits admits = nullptr;
  bool neighbours = false;  // also returns rows next to a match
  // The nearest of these rows are the answer, whatever the query is; slots in ascending order.
  std::optional<std::vector<int64_t>> nearest_of;
  bool pinned_first = false;    // pinned rows among the scored ones rank above all others
  bool without_buried = false;  // for a prompt
  size_t limit = 10;
  int64_t deadline_ms = 250;  // then ranks the matches so far
  std::stop_token stop;       // the same when the client is gone
  Meaning meaning;
  Meaning remote_meaning;    // preferred, if the rows are few enough to be read
  bool even_behind = false;  // searches although rows wait for the index (waiting.h)
};

}  // namespace memory
