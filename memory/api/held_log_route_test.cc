// What callers are told while somebody holds the log of their file: 503, until it is given back.
#include "lib/sqlite/database.h"
#include "lib/testing/eventually.h"
#include "memory/api/api_fixture.h"

namespace memory {
namespace {

class HeldLogRoute : public ApiTest {
 protected:
  HeldLogRoute() {
    server_.reset();
    ServerSettings settings;
    settings.data_dir = scratch_.File("data");
    settings.lock_wait_ms = 0;
    settings.store.max_log_bytes = 8 << 20;  // the least that settings take
    auto server = RunningServer::Start(settings, clock_);
    EXPECT_TRUE(server);
    server_ = std::move(*server);
    client_ = Connect(server_->api_address());
    admin_ = Connect(server_->admin_address());
  }
  // The file that has a log.
  std::string StoreFile() {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch_.File("data"))) {
      const std::string path = entry.path().string();
      if (path.ends_with("-wal")) return path.substr(0, path.size() - 4);
    }
    return "";
  }
};

TEST_F(HeldLogRoute, WalHeldByAReaderRefusesWritesNotReads) {
  MustPost(NoteBody("first"));
  auto reader = sqlite::Database::Open(StoreFile(), {sqlite::Access::kReader});
  ASSERT_TRUE(reader && reader->Execute("BEGIN; SELECT count(*) FROM observations"));
  Answered answer;
  int written = 0;
  for (answer.status = 201; answer.status == 201 && written < 400; ++written)
    answer = Post("/observations", NoteBody(std::to_string(written) + std::string(45'000, 'x')));
  EXPECT_EQ(answer.status, 503) << answer.body;
  EXPECT_TRUE(answer.headers.Get("Retry-After"));
  const std::string error = answer.body.value("error", "");
  for (const char* part : {"max-log", "8388608"})
    EXPECT_NE(error.find(part), std::string::npos) << error;
  EXPECT_EQ(Post("/sessions", {{"id", "s2"}, {"project", "p"}}).status, 503);
  EXPECT_EQ(Get("/observations/recent?limit=1").status, 200);
  EXPECT_EQ(Send(*admin_, "GET", "/readyz", "").status, 200) << "other tenants have room";
  ASSERT_TRUE(reader->Execute("ROLLBACK"));
  EXPECT_TRUE(
      testing::Eventually([&] { return Post("/observations", NoteBody("after")).status == 201; }));
}

}  // namespace
}  // namespace memory
