// Traces that belong together, for an insight about them. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "memory/model/consolidation.h"

namespace memory {

struct ClusterRules {
  double near = 0.6;            // cosine to the trace that a cluster begins with
  size_t least = 3, most = 12;  // traces of a cluster
  size_t clusters = 4;          // of a run
  size_t seeds = 64;            // traces that a cluster is looked for around
};

// `vectors`: `dimensions` of each trace, zeros: it has none; `linked`: pairs of indexes that are
// near each other whatever their vectors say; `covered`: of each trace, whether it takes no part.
// The first traces are the first seeds. → clusters of indexes, the seed first, then the nearest;
// all of one scope, none prospective, no trace in two of them. Time is linear in the traces.
std::vector<std::vector<size_t>> FindClusters(const std::vector<TraceSketch>& traces,
                                              std::span<const int8_t> vectors, size_t dimensions,
                                              const std::vector<std::pair<size_t, size_t>>& linked,
                                              std::vector<bool> covered, const ClusterRules& rules);

}  // namespace memory
