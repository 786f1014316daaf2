// Clusters related traces, for insights about them. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "memory/model/consolidation.h"

namespace memory {

struct ClusterRules {
  double near = 0.6;            // minimum cosine to the seed of a cluster
  size_t least = 3, most = 12;  // traces of a cluster
  size_t clusters = 4;          // of a run
  size_t seeds = 64;            // traces that may start a cluster
};

// `vectors`: `dimensions` values of each trace, zeros: no vector; `linked`: pairs of indexes that
// count as near regardless of vectors; `covered`: traces to skip. Seeds are tried in order. →
// clusters of indexes, the seed first, then the nearest; each of one scope, without prospective
// traces, disjoint. Time is linear in the traces.
std::vector<std::vector<size_t>> FindClusters(const std::vector<TraceSketch>& traces,
                                              std::span<const int8_t> vectors, size_t dimensions,
                                              const std::vector<std::pair<size_t, size_t>>& linked,
                                              std::vector<bool> covered, const ClusterRules& rules);

}  // namespace memory
