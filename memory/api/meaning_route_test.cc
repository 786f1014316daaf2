// What answers say of items that meaning ranked.
#include "memory/api/api_fixture.h"

namespace memory {
namespace {

class MeaningRoutes : public ApiTest {
 protected:
  MeaningRoutes() {
    server_.reset();
    ServerSettings settings;
    settings.data_dir = scratch_.File("meaning");
    settings.store.embedder = std::make_shared<WordBag>();
    auto server = StartServer(settings);
    EXPECT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
    client_ = Connect(server_->api_address());
  }
};

TEST_F(MeaningRoutes, HitsListTheScoresOfTheirRank) {
  MustPost(NoteBody("the zeppelin crashed into a tower"));
  for (const Json& item :
       {Get("/search?q=zeppelin&project=p").body[0],
        Get("/context?query=zeppelin&project=p").body["recent_observations"][0]}) {
    EXPECT_EQ(item["id"], 1);
    EXPECT_EQ(item["method"], "fused");
    EXPECT_LT(item["rank"].get<double>(), 0);
    EXPECT_GT(item["scores"]["lexical"].get<double>(), 0);
    EXPECT_GT(item["scores"]["similarity"].get<double>(), 0);
  }
  // Expressions and answers of an earlier time are about words.
  EXPECT_FALSE(Get("/search?q=zeppelin&project=p&syntax=fts5").body[0].contains("scores"));
  EXPECT_FALSE(
      Get("/search?q=zeppelin&project=p&as_of=2030-01-01T00:00:00Z").body[0].contains("scores"));
}

TEST_F(ApiTest, WithoutEmbedderHitsHaveNoScores) {
  MustPost(NoteBody("the zeppelin crashed into a tower"));
  const Json item = Get("/search?q=zeppelin&project=p").body[0];
  EXPECT_EQ(item["method"], "fts5_bm25");
  EXPECT_FALSE(item.contains("scores"));
}

}  // namespace
}  // namespace memory
