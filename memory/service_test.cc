// The server around the routes: admin port, restart, what is refused at start.
#include <filesystem>
#include <fstream>

#include "lib/api/server_report.h"
#include "lib/base/text/digest.h"
#include "memory/api/api_fixture.h"
#include "memory/api/gate.h"
#include "memory/sqlite/engine/schema_guard.h"
#include "memory/sqlite/tables/schema.h"

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

TEST_F(ApiTest, TheAdminPortReportsToTheOperator) {
  MustPost(NoteBody("one"));
  MustPost(NoteBody("two"));
  auto report = api::DecodeServerReport(Send(*admin_, "GET", api::kServerReportPath, "").body);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->version, AGENT_MEMORY_VERSION);
  EXPECT_EQ(report->schema,
            ChosenStore::OnPostgres() ? 1 : static_cast<int64_t>(SchemaSteps().size()));
  EXPECT_EQ(report->rows, 2);
  EXPECT_GT(report->bytes, 4'096);
  EXPECT_EQ(report->error, "");
}

TEST_F(ApiTest, ADirectoryOfANewerSchemaIsRefusedAtTheStartAndNotTouched) {
  if (ChosenStore::OnPostgres()) GTEST_SKIP() << "about a file";
  namespace fs = std::filesystem;
  MustPost(NoteBody("text"));
  EXPECT_TRUE(RefuseNewerSchemas(scratch_.File("data"))) << "our own";
  Start();  // what waited in the log is in the file now
  ServerSettings settings;
  settings.data_dir = scratch_.File("newer");
  fs::copy(scratch_.File("data"), settings.data_dir);
  const std::string file = base::Sha256Hex(kEverybody);
  auto write = [&](std::streamoff at, std::string_view bytes) {
    std::fstream head(fs::path(settings.data_dir) / file,
                      std::ios::binary | std::ios::in | std::ios::out);
    head.seekp(at);
    head.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  };
  write(60, {"\0\0\x03\xE7", 4});
  settings.lock_wait_ms = 0;
  auto started = RunningServer::Start(settings, clock_);
  ASSERT_FALSE(started);
  for (const char* words : {"schema version 999", "start the newer program again", file.c_str()})
    EXPECT_NE(started.error().message.find(words), std::string::npos) << started.error().message;
  EXPECT_FALSE(RefuseNewerSchemas(settings.data_dir)) << "as main asks for its exit code";
  write(60, "????");
  EXPECT_TRUE(RefuseNewerSchemas(settings.data_dir)) << "damage is found by who opens it";
  write(60, {"\0\0\x03\xE7", 4});
  write(0, "no database");
  EXPECT_TRUE(RefuseNewerSchemas(settings.data_dir)) << "likewise";
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
