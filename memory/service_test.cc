// The server around the routes: admin port, restart, what is refused at start.
#include "memory/api_fixture.h"

namespace memory {
namespace {

TEST_F(ApiTest, WhatIsNotServedSaysSo) {
  EXPECT_EQ(Post("/forget", Json::object()).status, 501);
  EXPECT_EQ(Get("/nowhere").status, 404);
  EXPECT_EQ(Send(*client_, "PUT", "/health", "").status, 405);
}

TEST_F(ApiTest, TheAdminPortShowsLifeReadinessAndMetrics) {
  MustPost(NoteBody("text"));
  EXPECT_EQ(Send(*admin_, "GET", "/livez", "").status, 200);
  EXPECT_EQ(Send(*admin_, "GET", "/readyz", "").status, 200);
  std::string text = Send(*admin_, "GET", "/metrics", "").body.get<std::string>();
  EXPECT_NE(text.find("agent_memory_server_writes_total{action=\"created\"} 1"), std::string::npos);
  EXPECT_NE(text.find("agent_memory_server_anonymous 1"), std::string::npos);
}

TEST_F(ApiTest, ASecondProcessOnTheDirectoryIsRefused) {
  ServerSettings settings;
  settings.data_dir = scratch_.File("data");
  settings.lock_wait_ms = 0;
  auto second = RunningServer::Start(settings, clock_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, base::Code::kConflict);
}

TEST_F(ApiTest, ARestartKeepsEverything) {
  MustPost(NoteBody("zeppelin"));
  Json before = Get("/export").body["observations"];
  Start();
  EXPECT_EQ(Get("/export").body["observations"], before);
  EXPECT_EQ(Get("/search?q=zeppelin").body.size(), 1u);
}

}  // namespace
}  // namespace memory
