// What somebody deleted, and what an import then does with it, through the port.
#include <filesystem>
#include <fstream>

#include "memory/api/api_fixture.h"
#include "memory/made_formats_fixture.h"

namespace memory {
namespace {

// What of an import's report this is about.
std::string Told(const Json& report) {
  return std::to_string(report.value("imported_observations", -1)) + " new, " +
         std::to_string(report.value("skipped", -1)) + " skipped, " +
         std::to_string(report.value("skipped_deleted", 0)) + " of them deleted";
}

class DeletedImportTest : public ApiTest {
 protected:
  std::string ExportAs(const std::string& format) {
    const Json body = Get("/export?format=" + format).body;
    return body.is_string() ? body.get<std::string>() : base::DumpJson(body);
  }
  std::string Import(const std::string& body, const std::string& query = "") {
    const Answered answer = PostText("/import" + query, body);
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(answer.body["errors"], Json::array());
    return Told(answer.body);
  }
  Json Rows() { return Get("/export").body["observations"]; }
};

TEST_F(DeletedImportTest, NoFormatRestoresDeletedRowsUnasked) {
  for (const std::string& format :
       Made({"json", "jsonl", "sqlite", "markdown", "obsidian", "notes"})) {
    SCOPED_TRACE(format);
    StartEmpty();
    Post("/sessions", {{"id", "s-p"}, {"project", "p"}});
    MustPost(NoteBody("kept"));
    MustPost(NoteBody("hidden"));
    MustPost(NoteBody("erased"));
    const std::string exported = ExportAs(format);
    Delete("/observations/2");
    Delete("/observations/3?hard=true");
    const Json before = Rows();
    EXPECT_EQ(Import(exported), "0 new, 4 skipped, 2 of them deleted");
    EXPECT_EQ(Rows(), before);
    EXPECT_EQ(Import(exported, "?dedup=false"), "0 new, 4 skipped, 2 of them deleted");
    EXPECT_EQ(Import(exported, "?restore=true"), "2 new, 2 skipped, 0 of them deleted");
    EXPECT_EQ(Rows().size(), 3u);
    EXPECT_EQ(Import(exported), "0 new, 4 skipped, 0 of them deleted") << "it is forgiven";
    EXPECT_EQ(Rows().size(), 3u);
    EXPECT_EQ(PostText("/import?restore=perhaps", exported).status, 400);
  }
}

TEST_F(DeletedImportTest, ForeignRowsAreMatchedByText) {
  const std::string csv = "content,type\nRetry with jitter,lesson\nTea at four,habit\n";
  const std::string mem0 =
      R"({"results": [{"memory": "Likes tea", "user_id": "ann", "created_at": "2026-01-02T10:00:00Z"}]})";
  for (const bool hard : {false, true}) {
    SCOPED_TRACE(hard);
    StartEmpty();
    ASSERT_EQ(Import(csv), "2 new, 0 skipped, 0 of them deleted");
    ASSERT_EQ(Import(mem0), "1 new, 0 skipped, 0 of them deleted");
    // One of them after its text was changed here: the import has the first one.
    ASSERT_EQ(Patch("/observations/2", {{"content", "Tea at five"}}).status, 200);
    for (int id = 1; id <= 3; ++id)
      Delete("/observations/" + std::to_string(id) + (hard ? "?hard=true" : ""));
    clock_.Advance(kDay);
    EXPECT_EQ(Import(csv), "0 new, 2 skipped, 2 of them deleted");
    EXPECT_EQ(Import(mem0), "0 new, 1 skipped, 1 of them deleted");
    EXPECT_EQ(Import(csv + "Something else,lesson\n"), "1 new, 2 skipped, 2 of them deleted");
    EXPECT_EQ(Rows().size(), 1u);
  }
}

TEST_F(DeletedImportTest, RowChangedBeforeDeletionIsMatchedById) {
  for (const bool hard : {false, true}) {
    SCOPED_TRACE(hard);
    StartEmpty();
    MustPost(NoteBody("first"));
    MustPost(NoteBody("else"));
    const std::string exported = ExportAs("json");
    clock_.Advance(kMinute);
    ASSERT_EQ(Patch("/observations/1", {{"content", "second"}, {"type", "lesson"}}).status, 200);
    ASSERT_EQ(Patch("/observations/1", {{"content", "third"}}).status, 200);
    Delete(std::string("/observations/1") + (hard ? "?hard=true" : ""));
    EXPECT_EQ(Import(exported), "0 new, 2 skipped, 1 of them deleted");
    EXPECT_EQ(Rows().size(), 1u);
  }
}

TEST_F(DeletedImportTest, RewrittenTextIsNoLongerDeleted) {
  MustPost(NoteBody("said before"));
  const std::string exported = ExportAs("json");
  Delete("/observations/1?hard=true");
  clock_.Advance(kDay);
  const int64_t anew = MustPost(NoteBody("Said  before"));
  EXPECT_EQ(Import(exported), "1 new, 0 skipped, 0 of them deleted");
  // And what is deleted again is deleted.
  Delete("/observations/" + std::to_string(anew) + "?hard=true");
  for (const Json& row : Rows())
    Delete("/observations/" + std::to_string(row.at("id").get<int64_t>()) + "?hard=true");
  EXPECT_EQ(Import(exported), "0 new, 2 skipped, 1 of them deleted");
}

TEST_F(DeletedImportTest, SqliteExportOfATenantKeepsDeletions) {
  if (ChosenStore::OnPostgres()) GTEST_SKIP() << "the shared engine makes no files";
  MustPost(NoteBody("kept"));
  MustPost(NoteBody("secretword"));
  const std::string exported = ExportAs("json");
  Delete("/observations/2?hard=true");
  const std::string file = ExportAs("sqlite");
  EXPECT_EQ(file.find("secretword"), std::string::npos);
  const std::string of_project = ExportAs("sqlite&project=p");
  // In place of the tenant's file.
  std::string path;
  for (const auto& entry : std::filesystem::directory_iterator(scratch_.File("data"))) {
    if (entry.path().filename().string().size() == 64) path = entry.path().string();
  }
  ASSERT_FALSE(path.empty());
  for (const auto& [restored, told] :
       {std::pair(file, "0 new, 2 skipped, 1 of them deleted"),
        std::pair(of_project, "1 new, 1 skipped, 0 of them deleted")}) {
    server_.reset();
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(path + suffix);
    std::ofstream(path, std::ios::binary) << restored;
    Start();
    EXPECT_EQ(Import(exported), told);
  }
}

}  // namespace
}  // namespace memory
