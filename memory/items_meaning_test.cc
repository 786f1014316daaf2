// Exercise 2 of the chapter: retrieval by meaning, with the table that the server has.
#include "memory/embedders.h"
#include "memory/sqlite/store/store_fixture.h"

namespace memory {
namespace {

class Exercise2 : public StoreTest {
 protected:
  Exercise2() { Restart(true); }
  void Restart(bool table) {
    EmbeddingSettings settings;
    settings.on = table;
    settings.table = "share/agent-memory-server/embedding.table";
    StoreOptions options;
    options.embedder = MakeEmbedder(settings);
    options.query_deadline_ms = 60'000;
    Reopen(std::move(options));
  }
  void Keep(const std::string& key, const base::Json& value) {
    auto written = store_->items().Put({"p", key, base::DumpJson(value)}, {});
    EXPECT_TRUE(written) << written.error().message;
  }
  std::vector<FoundItem> Retrieve(const std::string& query) {
    auto found = store_->items().Retrieve("p", query, 5);
    EXPECT_TRUE(found) << found.error().message;
    return found ? found->rows : std::vector<FoundItem>();
  }
  void FillAll() {
    for (base::Result<bool> more = true; more && *more;) more = store_->FillVectors();
  }
};

TEST_F(Exercise2, FindsRelevantItemsEvenWithoutExactKeywordMatch) {
  Keep("lunch", "bread with cheese");
  Keep("vehicle", "the automobile needs oil");
  Keep("music", "plays the violin");
  const auto found = Retrieve("car");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].item.key, "vehicle");
  EXPECT_STREQ(found[0].method, "embedding");
  EXPECT_GT(found[0].score, 0);
  EXPECT_LE(found[0].score, 1);
}

TEST_F(Exercise2, ReturnsMostSimilarItemsFirst) {
  Keep("a", "the automobile and the lorry are vehicles");
  Keep("b", "the engine of a boat");
  Keep("c", "a car");
  const auto found = Retrieve("car");
  ASSERT_GE(found.size(), 2U);
  EXPECT_EQ(found[0].item.key, "c");
  EXPECT_EQ(found[1].item.key, "a");
  for (size_t i = 1; i < found.size(); ++i) EXPECT_LE(found[i].score, found[i - 1].score);
}

TEST_F(Exercise2, WhatIsChangedOrForgottenIsNotFoundByWhatItSaid) {
  Keep("k", "the automobile needs oil");
  ASSERT_EQ(Retrieve("car").size(), 1U);
  ItemChange change;
  change.value = "\"bread with cheese\"";
  ASSERT_TRUE(store_->items().Change("p", "k", change, {}));
  ASSERT_EQ(Retrieve("car").size(), 1U);
  EXPECT_LT(Retrieve("car")[0].score, 0.3) << "the nearest, but not near";
  ASSERT_TRUE(store_->items().Remove("p", "k"));
  EXPECT_TRUE(Retrieve("cheese").empty());
  ExpectSound();
}

TEST_F(Exercise2, ItemsFromBeforeGetTheirVectorsInTheBackground) {
  Restart(false);
  for (int i = 0; i < 300; ++i) Keep("k" + std::to_string(i), "the automobile needs oil");
  EXPECT_TRUE(Retrieve("car").empty());
  Restart(true);
  EXPECT_TRUE(Retrieve("car").empty());
  FillAll();
  EXPECT_EQ(Retrieve("car").size(), 5U);
}

}  // namespace
}  // namespace memory
