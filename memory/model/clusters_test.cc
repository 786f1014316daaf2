// Clusters of traces for insights.
#include "memory/model/clusters.h"

#include <gtest/gtest.h>

namespace memory {
namespace {

using Clusters = std::vector<std::vector<size_t>>;
using Links = std::vector<std::pair<size_t, size_t>>;

// Traces of two dimensions.
struct Traces {
  std::vector<TraceSketch> sketches;
  std::vector<int8_t> vectors;
  std::vector<bool> covered;
  Traces& Add(int x, int y, const std::string& scope = "user",
              const std::string& kind = kEpisodic) {
    TraceSketch one;
    one.scope = scope, one.kind = kind;
    sketches.push_back(one);
    vectors.push_back(static_cast<int8_t>(x));
    vectors.push_back(static_cast<int8_t>(y));
    covered.push_back(false);
    return *this;
  }
  Clusters Find(const Links& linked = {}, const ClusterRules& rules = {}) const {
    return FindClusters(sketches, vectors, 2, linked, covered, rules);
  }
};

TEST(ClustersTest, TheNearestOfATraceAreWithIt) {
  Traces traces;
  traces.Add(100, 0).Add(0, 100).Add(100, 50).Add(100, 10).Add(-100, 0);
  EXPECT_EQ(traces.Find(), Clusters({{0, 3, 2}}));
  traces.Add(10, 100);
  EXPECT_EQ(traces.Find(), Clusters({{0, 3, 2}})) << "two are too few";
  traces.Add(-10, 100);
  EXPECT_EQ(traces.Find(), Clusters({{0, 3, 2}, {1, 5, 6}}));
}

TEST(ClustersTest, WhatWasFoundTogetherBelongsTogether) {
  Traces traces;
  traces.Add(100, 0).Add(0, 100).Add(-100, 0).Add(0, 0);
  EXPECT_EQ(traces.Find(), Clusters());
  EXPECT_EQ(traces.Find({{0, 1}, {3, 0}}), Clusters({{0, 1, 3}}));
}

TEST(ClustersTest, OnlyTracesOfOneScopeThatNoInsightCovers) {
  Traces traces;
  traces.Add(100, 0).Add(100, 1, "thread").Add(100, 2, "user", kProspective).Add(100, 3);
  EXPECT_EQ(traces.Find(), Clusters());
  traces.Add(100, 4);
  EXPECT_EQ(traces.Find(), Clusters({{0, 3, 4}}));
  traces.covered[3] = true;
  EXPECT_EQ(traces.Find(), Clusters());
}

TEST(ClustersTest, ARunHasItsLimits) {
  Traces traces;
  for (int i = 0; i < 100; ++i) traces.Add(100, 0);
  const Clusters found = traces.Find();
  ASSERT_EQ(found.size(), ClusterRules().clusters);
  for (const auto& cluster : found) EXPECT_EQ(cluster.size(), ClusterRules().most);
  Traces lonely;
  for (int i = 0; i < 3; ++i) lonely.Add(0, i == 0 ? 100 : 0);
  lonely.Add(100, 0).Add(100, 0).Add(100, 0);
  ClusterRules rules;
  rules.seeds = 3;
  EXPECT_EQ(lonely.Find({}, rules), Clusters()) << "others were looked around";
}

}  // namespace
}  // namespace memory
