// Shows how rows of the server become the record of a recall.
#include "sidecar/recall/recalled.h"

#include <gtest/gtest.h>

namespace sidecar {
namespace {

TEST(Recalled, RecordsTheScoresOfARowThatMeaningRanked) {
  const auto rows = base::ParseJson(R"([
    {"id": 1, "rank": -0.5, "method": "fused",
     "scores": {"lexical": 2.5, "similarity": 0.75, "soft": 0.5, "session": 1, "answer": 0.25,
                "note": "a sentence"}},
    {"id": 2, "rank": -0.2, "method": "embedding", "scores": {"lexical": 0, "similarity": null}},
    {"id": 3, "rank": -4, "method": "fts5_bm25", "scores": "none"},
    {"id": 4, "rank": -4, "method": "fts5_bm25"}])");
  ASSERT_TRUE(rows);
  const std::vector<RecalledItem> found = ReadItems(*rows);
  const base::Json record = EncodeItems(found, found);
  ASSERT_EQ(record.size(), 4U);
  EXPECT_EQ(record[0]["scores"], (base::Json{{"lexical", 2.5},
                                             {"similarity", 0.75},
                                             {"soft", 0.5},
                                             {"session", 1},
                                             {"answer", 0.25}}));
  EXPECT_EQ(record[1]["scores"], (base::Json{{"lexical", 0}}));
  EXPECT_FALSE(record[2].contains("scores"));
  EXPECT_FALSE(record[3].contains("scores"));
}

TEST(Recalled, KnowsWhatAPersonBuried) {
  const auto found = ReadItems({{{"id", 1}, {"tags", {"a", "@buried"}}},
                                {{"id", 2}, {"tags", {"buried"}}},
                                {{"id", 3}, {"tags", "@buried"}},
                                {{"id", 4}}});
  ASSERT_EQ(found.size(), 4U);
  EXPECT_TRUE(found[0].buried);
  for (size_t i = 1; i < found.size(); ++i) EXPECT_FALSE(found[i].buried) << i;
}

}  // namespace
}  // namespace sidecar
