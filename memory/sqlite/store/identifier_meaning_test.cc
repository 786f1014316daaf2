// What meaning finds, with the table that the server has: identifiers have none, a row is found by
// its own meaning, and an episode by being near.
#include "memory/embedders.h"
#include "memory/model/embedded_text.h"
#include "memory/sqlite/store/store_fixture.h"

namespace memory {
namespace {

class MeaningOfText : public StoreTest {
 protected:
  MeaningOfText() {
    EmbeddingSettings settings;
    settings.on = true;
    settings.table = "share/agent-memory-server/embedding.table";
    StoreOptions options;
    options.embedder = MakeEmbedder(settings);
    options.query_deadline_ms = 60'000;
    Reopen(std::move(options));
  }
  std::vector<std::string> Methods(const std::string& text) {
    auto found = store_->Search(In("p"), text, false);
    EXPECT_TRUE(found) << found.error().message;
    std::vector<std::string> methods;
    for (const Found& hit : found->rows) methods.push_back(hit.method);
    return methods;
  }
};

TEST(EmbeddedTextTest, IdentifiersAreLeftOut) {
  EXPECT_EQ(EmbeddedText("8a1f0c52-1c2b-4d7e-9a10-22bc6f0d9e51"), "");
  EXPECT_EQ(EmbeddedText(" 10.0.0.12 JIRA-123 /etc/nginx/nginx.conf "), "");
  const std::string text =
      EmbeddedText("error, 500", "Request 8a1f0c52-1c2b-4d7e-9a10-22bc6f0d9e51 failed");
  EXPECT_EQ(text.find("8a1f"), std::string::npos) << text;
  EXPECT_NE(text.find("failed"), std::string::npos) << text;
  EXPECT_NE(ModelOfEmbeddedTexts(7), 7);
  EXPECT_GT(ModelOfEmbeddedTexts(INT64_MAX), 0);
}

TEST(EmbeddedTextTest, ScriptsWithoutBlanksAreRecognized) {
  for (const char* text :
       {"数据库在哪里？", "データベースはどこですか", "데이터베이스", "Redis 缓存多久过期"})
    EXPECT_TRUE(IsMostlyUnspaced(text)) << text;
  for (const char* text : {"", "12 ?!", "Where is the database?", "Wo läuft die Datenbank?",
                           "где база", "the folder 日本 of the archive"})
    EXPECT_FALSE(IsMostlyUnspaced(text)) << text;
}

// Of these scripts the table knows single characters: words find and order alone.
TEST_F(MeaningOfText, ChineseQueryIsRankedByWords) {
  MustSave(Note("数据库每天凌晨三点备份"));
  MustSave(Note("缓存服务器的端口是六三七九"));
  const std::vector<std::string> methods = Methods("数据库什么时候备份？");
  ASSERT_FALSE(methods.empty());
  for (const std::string& method : methods) EXPECT_EQ(method, "fts5_bm25");
}

TEST_F(MeaningOfText, UnknownIdentifierFindsNothingByMeaning) {
  const char* stored[] = {"Request 8a1f0c52-1c2b-4d7e-9a10-22bc6f0d9e51 failed with status 503",
                          "The gateway listens on 10.0.0.12:8443", "Ticket OPS-4711 was closed",
                          "Commit 9fceb02d0ae598e95dc970b74767f19372d61af8 broke the build"};
  for (const char* text : stored) MustSave(Note(text));
  for (const char* unknown :
       {"7b2e4d10-93aa-4c1f-8e55-0f1e2d3c4b5a", "172.16.99.3", "JIRA-99021",
        "e83c5163316f89bfbde7d9ab23ca2e25604af290", "v9.8.7-rc6", "2031-02-03T04:05:06Z",
        "someone@elsewhere.example", "/srv/other/place.toml", "#99881"}) {
    for (const std::string& method : Methods(unknown)) EXPECT_EQ(method, "fts5_bm25") << unknown;
  }
}

TEST_F(MeaningOfText, NeighbourOfAHitIsNoHitByMeaning) {
  const char* session[] = {"The oven in the kitchen needs a new thermostat.",
                           "Payroll is processed on the last Friday.",
                           "The automobile would not start in the cold morning.",
                           "Our logo uses a dark green.", "Interviews are held in the large room."};
  for (const char* text : session) MustSave(Note(text));
  auto found = store_->Search(In("p"), "vehicle with engine trouble in winter", false);
  ASSERT_TRUE(found);
  for (const Found& hit : found->rows)
    if (std::string(hit.method) == "embedding") {
      EXPECT_EQ(hit.row.id, 3) << hit.row.content;
    }
}

TEST_F(MeaningOfText, AnyQueryFindsTheNearestEpisodes) {
  for (const char* summary : {"The automobile would not start in the cold morning.",
                              "Bread was baked.", "The violin was tuned."}) {
    Episode episode;
    episode.project = "p", episode.conversation = "c", episode.agent = "a";
    episode.summary = summary;
    ASSERT_TRUE(store_->SaveEpisode(episode, {}, RequestKey(""), kMidnight));
  }
  for (int i = 0; i < 20; ++i) MustSave(Note("vehicles and engines, part " + std::to_string(i)));
  EpisodeQuestion question{"p", "vehicle engine trouble", "a", {}, 3, 0, {}};
  auto found = store_->SearchEpisodes(question);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 3U);
  EXPECT_EQ((*found)[0].episode.summary, "The automobile would not start in the cold morning.");
  for (const char* any : {"JIRA-99021", "zzqx", "..."}) {
    question.text = any;
    found = store_->SearchEpisodes(question);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->size(), 3U) << any;
  }
  question.min_similarity = 0.99;
  EXPECT_TRUE(store_->SearchEpisodes(question)->empty());
}

TEST_F(MeaningOfText, ItemIsFoundByItsValueNotItsKey) {
  for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{
           {"fact-0", "The automobile needs new brakes"},
           {"vehicle repair manual", "bread with cheese"},
           {"8a1f0c52-1c2b-4d7e-9a10-22bc6f0d9e51", "She plays the violin"}}) {
    ASSERT_TRUE(store_->items().Put({"p", key, base::DumpJson(value)}, {}));
  }
  auto found = store_->items().Retrieve("p", "car repair", 3);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->rows.size(), 3U);
  found = store_->items().Retrieve("p", "a musical instrument", 1);
  ASSERT_EQ(found->rows.size(), 1U);
  EXPECT_EQ(found->rows[0].item.value, "\"She plays the violin\"");
  found = store_->items().Retrieve("p", "7b2e4d10-93aa-4c1f-8e55-0f1e2d3c4b5a", 3);
  EXPECT_TRUE(found->rows.empty());
}

}  // namespace
}  // namespace memory
