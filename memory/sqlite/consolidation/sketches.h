// What a run reads of a context's traces before it changes any.
#pragma once

#include <utility>
#include <vector>

#include "lib/sqlite/database.h"
#include "memory/store/consolidation.h"

namespace memory {

struct Sketches {
  std::vector<TraceSketch> traces;                 // in order of slots, by SketchOrder
  std::vector<int8_t> vectors;                     // `dimensions` of each; zeros: it has none
  std::vector<std::pair<int64_t, int64_t>> pairs;  // slots that were found together
  std::vector<int64_t> times;                      // of each pair
  bool partial = false;                            // there are more traces
};

inline constexpr size_t kMostSketches = 200'000;  // of a run: 80 MiB with their vectors
enum class SketchOrder { kOldestFirst, kNewestFirst };

// Live traces that are the context's own: of its user, agent, conversation and project; without a
// user's when `writer` is another. `model`: of the vectors; 0: none are read.
base::Result<Sketches> ReadSketches(sqlite::Database& database, const TraceContext& context,
                                    const std::string& writer, int64_t model, size_t dimensions,
                                    SketchOrder order = SketchOrder::kOldestFirst,
                                    size_t most = kMostSketches);

}  // namespace memory
