// Each seed takes the nearest free traces.
#include "memory/model/clusters.h"

#include <algorithm>

#include "memory/model/cosine.h"

namespace memory {

namespace {

class ClusterFinder {
 public:
  ClusterFinder(const std::vector<TraceSketch>& traces, std::span<const int8_t> vectors,
                size_t dimensions, const std::vector<std::pair<size_t, size_t>>& linked,
                std::vector<bool> taken, const ClusterRules& rules)
      : traces_(traces),
        vectors_(vectors),
        dimensions_(dimensions),
        linked_(traces.size()),
        taken_(std::move(taken)),
        rules_(rules) {
    for (const auto& [one, other] : linked) {
      linked_[one].push_back(other);
      linked_[other].push_back(one);
    }
    for (size_t i = 0; i < traces.size(); ++i)
      if (traces[i].kind == kProspective) taken_[i] = true;
  }

  std::vector<std::vector<size_t>> Find() {
    std::vector<std::vector<size_t>> clusters;
    size_t seeds = 0;
    for (size_t i = 0; i < traces_.size() && seeds < rules_.seeds; ++i) {
      if (taken_[i]) continue;
      ++seeds;
      std::vector<size_t> cluster = Around(i);
      if (cluster.size() < rules_.least) continue;
      for (const size_t member : cluster) taken_[member] = true;
      clusters.push_back(std::move(cluster));
      if (clusters.size() == rules_.clusters) break;
    }
    return clusters;
  }

 private:
  bool MayJoin(size_t seed, size_t other) const {
    return other != seed && !taken_[other] && traces_[other].scope == traces_[seed].scope;
  }
  std::vector<size_t> Around(size_t seed) const {
    std::vector<std::pair<double, size_t>> near;  // lower is nearer
    for (const size_t other : linked_[seed])
      if (MayJoin(seed, other)) near.emplace_back(-2, other);
    const double length = dimensions_ > 0 ? LengthOf(VectorOf(seed), dimensions_) : 0;
    for (size_t other = 0; length > 0 && other < traces_.size(); ++other) {
      if (!MayJoin(seed, other)) continue;
      const double product = length * LengthOf(VectorOf(other), dimensions_);
      if (product == 0) continue;
      const auto dot = static_cast<double>(Dot(VectorOf(seed), VectorOf(other), dimensions_));
      if (dot >= rules_.near * product) near.emplace_back(-dot / product, other);
    }
    std::sort(near.begin(), near.end());
    std::vector<size_t> cluster = {seed};
    for (const auto& [rank, other] : near) {
      if (cluster.size() == rules_.most) break;
      if (std::find(cluster.begin(), cluster.end(), other) == cluster.end())
        cluster.push_back(other);
    }
    return cluster;
  }
  const int8_t* VectorOf(size_t index) const { return &vectors_[index * dimensions_]; }

  const std::vector<TraceSketch>& traces_;
  const std::span<const int8_t> vectors_;
  const size_t dimensions_;
  std::vector<std::vector<size_t>> linked_;
  std::vector<bool> taken_;
  const ClusterRules& rules_;
};

}  // namespace

std::vector<std::vector<size_t>> FindClusters(const std::vector<TraceSketch>& traces,
                                              std::span<const int8_t> vectors, size_t dimensions,
                                              const std::vector<std::pair<size_t, size_t>>& linked,
                                              std::vector<bool> covered,
                                              const ClusterRules& rules) {
  return ClusterFinder(traces, vectors, dimensions, linked, std::move(covered), rules).Find();
}

}  // namespace memory
