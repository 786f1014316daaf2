// The facts that a run reads about the traces of a context before it changes any.
#pragma once

#include <utility>
#include <vector>

#include "lib/sql/database.h"
#include "memory/store/consolidation.h"

namespace memory {

struct Sketches {
  std::vector<TraceSketch> traces;                 // in order of slots, by SketchOrder
  std::vector<int8_t> vectors;                     // `dimensions` of each; zeros: no vector
  std::vector<std::pair<int64_t, int64_t>> pairs;  // slots retrieved together
  std::vector<int64_t> times;                      // of each pair
  bool partial = false;  // kMostSketches or the memory budget cut the list
};

inline constexpr size_t kMostSketches = 200'000;  // of a run
enum class SketchOrder { kOldestFirst, kNewestFirst };

// Live traces that belong to the context: to its user, agent, conversation and project. Without
// traces of a user, unless `writer` is that user. `model`: of the vectors; 0: reads no vectors.
// Charges the thread's memory budget, of which a run may have half; kUnavailable: others have that
// now.
base::Result<Sketches> ReadSketches(sql::Database& database, const TraceContext& context,
                                    const std::string& writer, int64_t model, size_t dimensions,
                                    SketchOrder order = SketchOrder::kOldestFirst,
                                    size_t most = kMostSketches);

}  // namespace memory
