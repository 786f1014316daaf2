// Exports and imports as a SQLite file, through the port: what goes out, and what is refused.
#include <filesystem>
#include <fstream>
#include <random>

#include "lib/sqlite/database.h"
#include "memory/api/api_fixture.h"
#include "memory/sqlite/store/sqlite_store.h"

namespace memory {
namespace {

class FileTransferTest : public ApiTest {
 protected:
  void SetUp() override {
    if (ChosenStore::OnPostgres()) GTEST_SKIP() << "the shared engine makes no files";
  }
  std::string ExportFile(const std::string& more = "") {
    Answered answer = Get("/export?format=sqlite" + more);
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.headers.Get("Content-Type"), "application/vnd.sqlite3");
    std::string file = answer.body.is_string() ? answer.body.get<std::string>() : "";
    EXPECT_TRUE(file.starts_with("SQLite format 3"));
    return file;
  }
  // The file after a change by somebody else's hand.
  std::string Changed(const std::string& file, const char* script) {
    const std::string path = scratch_.File("changed");
    std::ofstream(path, std::ios::binary) << file;
    {
      sqlite::Database::Options options;
      options.access = sqlite::Access::kScratch;
      auto database = sqlite::Database::Open(path, options);
      EXPECT_TRUE(database);
      if (!database) return "";
      base::Status done = database->Execute(script);
      EXPECT_TRUE(done) << done.error().message;
    }
    std::ifstream changed(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(changed), {});
  }
  size_t Spools() {
    size_t found = 0;
    for (const auto& entry : std::filesystem::directory_iterator(scratch_.File("data")))
      found += entry.path().filename().string().find(".spool-") != std::string::npos;
    return found;
  }
};

TEST_F(FileTransferTest, RoundTripContainsNoDeletedRow) {
  Post("/sessions", {{"id", "s-p"}, {"project", "p"}});
  Json topic = NoteBody("before");
  topic["topic_key"] = "k";
  MustPost(topic);
  topic["content"] = "after";
  EXPECT_EQ(Post("/observations", topic, "a key that nobody needs").status, 201);
  MustPost(NoteBody("wordofadeletedrow"));
  MustPost(NoteBody("elsewhere", "q"));
  EXPECT_EQ(Send(*client_, "DELETE", "/observations/2", "").status, 204);
  Json wanted = Get("/export").body;
  Json revisions = Get("/observations/1/revisions").body;
  const std::string file = ExportFile();
  EXPECT_EQ(file.find("wordofadeletedrow"), std::string::npos);
  EXPECT_EQ(file.find("a key that nobody needs"), std::string::npos);
  EXPECT_EQ(Spools(), 0u);

  StartEmpty();
  Answered taken = PostText("/import", file);
  EXPECT_EQ(taken.status, 200) << taken.body;
  EXPECT_EQ(taken.body["imported_observations"], 2);
  EXPECT_EQ(taken.body["errors"], Json::array());
  EXPECT_EQ(Get("/export").body["observations"], wanted["observations"]);
  EXPECT_EQ(Get("/export").body["sessions"], wanted["sessions"]);
  EXPECT_EQ(Get("/observations/1/revisions").body, revisions);
  EXPECT_EQ(PostText("/import", file).body["imported_observations"], 0);
  EXPECT_EQ(Spools(), 0u);
}

TEST_F(FileTransferTest, ProjectExportContainsNoOtherProject) {
  MustPost(NoteBody("mine", "mineproject"));
  MustPost(NoteBody("othersword", "othersproject"));
  const std::string file = ExportFile("&project=MineProject");
  EXPECT_EQ(file.find("othersword"), std::string::npos);
  EXPECT_EQ(file.find("othersproject"), std::string::npos);
  StartEmpty();
  EXPECT_EQ(PostText("/import", file).body["imported_observations"], 1);
  EXPECT_EQ(Get("/search?q=mine").body.size(), 1u);
}

TEST_F(FileTransferTest, ExportedFileOpensAsAStore) {
  MustPost(NoteBody("carried over by hand"));
  const std::string path = scratch_.File("by-hand");
  std::ofstream(path, std::ios::binary) << ExportFile();
  auto store = SqliteStore::Open(path, {});
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_TRUE((*store)->CheckIntegrity());
  EXPECT_EQ((*store)->Search({}, "carried", false)->rows.size(), 1u);
}

TEST_F(FileTransferTest, TagsOfEqualRowsAreUnited) {
  Json note = NoteBody("tagged");
  note["tags"] = {"a", "b"};
  MustPost(note);
  const std::string file = ExportFile();
  Send(*client_, "PATCH", "/observations/1", R"({"tags": ["b", "c"]})");
  EXPECT_EQ(PostText("/import", file).body["skipped"], 1);  // the session was only implied so far
  EXPECT_EQ(Get("/observations/1").body["tags"], (Json{"b", "c", "a"}));
  EXPECT_EQ(Get("/search?q=a").body.size(), 1u);
}

// The clock of expiry stays behind a wall clock that was set ahead, or ran while the server was
// off.
TEST_F(FileTransferTest, ItemsKeepTheirRemainingTime) {
  const auto put = [&](const std::string& key, const char* ttl) {
    return Send(*client_, "PUT", "/items/" + key, base::DumpJson({{"value", key}, {"ttl", ttl}}));
  };
  ASSERT_EQ(put("k", "2h").status, 201);
  ASSERT_EQ(put("over", "1s").status, 201);
  ASSERT_EQ(put("ever", "0s").status, 201);
  clock_.Advance(60 * kMinute);
  clock_.Jump(5 * 60 * kMinute);
  ASSERT_EQ(Get("/items/k").status, 200) << "one hour is left";
  const std::string file = ExportFile();
  const std::string json = base::DumpJson(Get("/export").body);
  for (const std::string& exported : {json, file}) {
    StartEmpty();
    const Answered taken = PostText("/import", exported);
    EXPECT_EQ(taken.body["imported_items"], 2) << taken.body;
    EXPECT_EQ(taken.body["errors"], Json::array());
    EXPECT_EQ(Get("/items/k").status, 200);
    EXPECT_EQ(Get("/items/ever").status, 200);
    EXPECT_EQ(Get("/items/over").status, 404);
  }
  clock_.Advance(59 * kMinute);
  EXPECT_EQ(Get("/items/k").status, 200);
  clock_.Advance(kMinute);
  EXPECT_EQ(Get("/items/k").status, 404);
  StartEmpty();
  EXPECT_EQ(PostText("/import", file).body["imported_items"], 1) << "expired since";
}

TEST_F(FileTransferTest, ItemsOfAFileWhoseClockIsBehindAreImported) {
  ASSERT_EQ(Send(*client_, "PUT", "/items/k", R"({"value":1,"ttl":"2h"})").status, 201);
  const std::string file = Changed(ExportFile(), "UPDATE items SET over_ms = over_ms - 864000000");
  StartEmpty();
  EXPECT_EQ(PostText("/import", file).body["imported_items"], 1);
  clock_.Advance(120 * kMinute - 1);
  EXPECT_EQ(Get("/items/k").status, 200);
  clock_.Advance(1);
  EXPECT_EQ(Get("/items/k").status, 404);
}

TEST_F(FileTransferTest, FileWithForeignSchemaIsRefused) {
  MustPost(NoteBody("row"));
  const std::string file = ExportFile();
  for (const char* script :
       {"CREATE TRIGGER t AFTER INSERT ON sessions BEGIN DELETE FROM projects; END",
        "CREATE VIEW v AS SELECT 1", "CREATE TABLE more(x)", "DROP INDEX observations_twins",
        "PRAGMA user_version = 0", "PRAGMA user_version = 9999"}) {
    Answered answer = PostText("/import", Changed(file, script));
    EXPECT_EQ(answer.status, 400) << script;
  }
  EXPECT_EQ(PostText("/import", file.substr(0, file.size() / 2)).status, 400);
  EXPECT_EQ(PostText("/import", file.substr(0, 50)).status, 400);
  EXPECT_EQ(PostText("/import?format=sqlite", "{}").status, 400);
  EXPECT_EQ(Spools(), 0u);
}

TEST_F(FileTransferTest, InvalidRowsOfAFileAreRefused) {
  for (const char* content : {"one", "two", "three", "four"}) MustPost(NoteBody(content));
  const std::string file =
      Changed(ExportFile(),
              "UPDATE observations SET title = '' WHERE id = 1;"
              "UPDATE observations SET scope = 'team' WHERE id = 2;"
              "UPDATE observations SET content = CAST(x'fffe' AS TEXT) WHERE id = 3;"
              "UPDATE observations SET created_ms = -9223372036854775808 WHERE id = 4;");
  StartEmpty();
  Answered answer = PostText("/import", file);
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.body["errors"].size(), 4u) << answer.body;
  EXPECT_EQ(answer.body["imported_observations"], 0);
}

TEST_F(FileTransferTest, DamagedFileIsImportedOrRefusedSafely) {
  for (int i = 0; i < 50; ++i) MustPost(NoteBody("row " + std::to_string(i)));
  const std::string file = ExportFile();
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 25; ++round) {
    std::string damaged = file;
    if (damaged.size() < 100) break;
    for (int i = 0; i < 8; ++i)
      damaged[16 + random() % (damaged.size() - 16)] = static_cast<char>(random());
    int status = PostText("/import", damaged).status;
    EXPECT_TRUE(status == 200 || status == 400) << status;
  }
  EXPECT_EQ(Get("/health").status, 200);
}

TEST_F(FileTransferTest, SpoolOfACrashIsRemovedAtTheStart) {
  for (const auto& entry : std::filesystem::directory_iterator(scratch_.File("data"))) {
    if (entry.path().filename().string().size() == 64)
      std::ofstream(entry.path().string() + ".spool-left") << "bytes";
  }
  ASSERT_EQ(Spools(), 1u);
  Start();
  EXPECT_EQ(Spools(), 0u);
}

}  // namespace
}  // namespace memory
