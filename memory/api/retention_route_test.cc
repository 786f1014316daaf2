// Retention as clients see it, and the thread that obeys it.
#include <chrono>
#include <thread>

#include "memory/api/api_fixture.h"

namespace memory {
namespace {

class RetentionRouteTest : public ApiTest {
 protected:
  Answered PutRules(const std::string& project, const std::string& rules) {
    return Send(*client_, "PUT", "/retention?project=" + project, R"({"retention":)" + rules + "}");
  }
  void StartWith(const std::string& rules, int64_t interval_ms) {
    server_.reset();
    ServerSettings settings;
    settings.data_dir = scratch_.File("data");
    settings.lock_wait_ms = 0;
    settings.retention.interval_ms = interval_ms;
    settings.store.retention = *DecodeRetention(*base::ParseJson(rules));
    settings.store.deleted_ms = kDay;
    auto server = StartServer(settings);
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
    client_ = Connect(server_->api_address());
    admin_ = Connect(server_->admin_address());
  }
  // Asks until the admin port shows the line.
  bool Shows(const std::string& line) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (std::chrono::steady_clock::now() < end) {
      const Answered metrics = Send(*admin_, "GET", "/metrics", "");
      if (metrics.body.is_string() &&
          metrics.body.get<std::string>().find(line) != std::string::npos)
        return true;
      std::this_thread::yield();
    }
    return false;
  }
};

TEST_F(RetentionRouteTest, EveryRouteHidesAnExpiredRowAtOnce) {
  Answered put = PutRules("p", R"([{"type": "discovery", "ttl": "90m", "maxRows": 5}])");
  EXPECT_EQ(put.status, 200) << put.body;
  EXPECT_EQ(put.body["retention"][0]["ttl"], "90m");
  EXPECT_EQ(Get("/retention?project=P").body["retention"], put.body["retention"]);
  EXPECT_EQ(Get("/retention?project=other").body["retention"], Json::array());
  const std::string id = std::to_string(MustPost(NoteBody("a fleeting thing")));
  Json lasting = NoteBody("a lasting thing");
  lasting["type"] = "decision";
  const int64_t stays = MustPost(lasting);
  clock_.Advance(90 * kMinute - 1);
  EXPECT_EQ(Get("/observations/" + id).status, 200);
  EXPECT_EQ(Get("/search?q=fleeting").body.size(), 1u);
  clock_.Advance(1);
  for (const std::string& path : {"/observations/" + id, "/observations/" + id + "/revisions",
                                  "/timeline?observation_id=" + id})
    EXPECT_EQ(Get(path).status, 404) << path;
  EXPECT_EQ(Patch("/observations/" + id, {{"title", "new"}}).status, 404);
  EXPECT_EQ(Get("/stats").body["total_observations"], 1);
  for (const char* path : {"/search?q=thing", "/observations/recent?project=p", "/export",
                           "/context?project=p&q=fleeting+thing",
                           "/context?project=p&q=thing&as_of=2026-04-12T00:00:01Z"}) {
    const std::string text = base::DumpJson(Get(path).body);
    EXPECT_EQ(text.find("fleeting"), std::string::npos) << path << ": " << text;
    EXPECT_NE(text.find("lasting"), std::string::npos) << path << ": " << text;
  }
  EXPECT_EQ(Get("/timeline?observation_id=" + std::to_string(stays)).status, 200);
  EXPECT_EQ(PutRules("p", "[]").body["retention"], Json::array());
  EXPECT_EQ(Get("/observations/" + id).status, 200) << "no round has taken it out yet";
}

TEST_F(RetentionRouteTest, InvalidRulesNameTheFieldAndChangeNothing) {
  PutRules("p", R"([{"ttl": "5h"}])");
  for (auto [rules, word] : {std::pair{R"([{"ttl": "1d"}])", "ttl"},
                             {R"([{"maxRows": -1}])", "maxRows"},
                             {R"([{"scope": "team"}])", "scope"},
                             {R"("1h")", "list"},
                             {R"([{}, {}])", "already"}}) {
    Answered refused = PutRules("p", rules);
    EXPECT_EQ(refused.status, 400) << rules;
    EXPECT_NE(refused.body["error"].get<std::string>().find(word), std::string::npos)
        << refused.body;
  }
  EXPECT_EQ(Send(*client_, "PUT", "/retention", R"({"retention":[]})").status, 400);
  EXPECT_EQ(Send(*client_, "PUT", "/retention?project=p", "{}").status, 400);
  EXPECT_EQ(Get("/retention").status, 400);
  EXPECT_EQ(Get("/retention?project=p").body["retention"][0]["ttl"], "5h");
}

TEST_F(RetentionRouteTest, BackgroundSweepHidesPurgesAndCounts) {
  StartWith(R"([{"ttl": "1h"}, {"type": "decision", "maxRows": 2}])", 10);
  for (int i = 0; i < 5; ++i) MustPost(NoteBody("row " + std::to_string(i)));
  Json decision = NoteBody("");
  decision["type"] = "decision";
  for (int i = 0; i < 3; ++i) {
    decision["content"] = "decision " + std::to_string(i);
    MustPost(decision);
  }
  EXPECT_TRUE(Shows("agent_memory_server_retention_rows_total{what=\"cap\"} 1"));
  clock_.Advance(60 * kMinute);
  EXPECT_TRUE(Shows("agent_memory_server_retention_rows_total{what=\"ttl\"} 5"));
  clock_.Advance(kDay + 8 * kDay);
  EXPECT_TRUE(Shows("agent_memory_server_retention_rows_total{what=\"purged\"} 6"));
  EXPECT_EQ(Get("/stats").body["total_observations"], 2);
}

}  // namespace
}  // namespace memory
