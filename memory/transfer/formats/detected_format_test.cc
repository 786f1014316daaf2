// Imports whose format nobody names: what each is taken for, and what is said of those that are
// none.
#include "lib/base/archive/tar.h"
#include "memory/api/api_fixture.h"
#include "memory/transfer/formats/body_formats.h"
#include "memory/transfer/notes/markdown.h"

namespace memory {
namespace {

constexpr const char* kClaudeMd =
    "# CLAUDE.md\n\nGuidance for this repository.\n\n"
    "## Commands\n\n```sh\n# not a heading\npnpm test\n```\n\n### Slow ones\nuse --only\n\n"
    "## Empty\n\n## Style ##\r\n- tabs, not spaces\r\n";

TEST(FormatByBeginning, FirstBytesNameTheFormatOrTheReason) {
  const std::pair<std::string, const char*> told[] = {
      {"SQLite format 3", "sqlite"},
      {base::TarFile("a.md", "x", 0), "obsidian"},
      {"---\ntitle: a\n---\nx", "markdown"},
      {"{\"kind\":\"export\"}\n", "jsonl"},
      {"content,tags\na,b\n", "csv"},
      {" \n{\"results\": [", "auto"},
      {"\xEF\xBB\xBF[", "auto"},
      {kClaudeMd, "markdown"},
      {"Use pnpm, not npm.\nRun tests, then push.\n", "markdown"},
      {"- one\n- two\n", "markdown"},
      {"a", "markdown"}};
  for (const auto& [beginning, format] : told) {
    const auto found = FormatByBeginning(beginning);
    ASSERT_TRUE(found) << beginning << ": " << found.error().message;
    EXPECT_EQ(*found, format) << beginning;
  }
  const std::pair<std::string, const char*> refused[] = {
      {"", "is empty"},
      {" \n\t", "is empty"},
      {"PK\x03\x04zip", "ZIP archive"},
      {"\x1f\x8b\x08", "gzip"},
      {std::string("ab\0c", 4), "neither text"},
      {"title,words\na,b\n", "line 1 looks like the head of a CSV table"}};
  for (const auto& [beginning, why] : refused) {
    const auto found = FormatByBeginning(beginning);
    ASSERT_FALSE(found) << beginning;
    EXPECT_NE(found.error().message.find(why), std::string::npos) << found.error().message;
    EXPECT_NE(found.error().message.find("accepted are"), std::string::npos);
  }
}

TEST(MarkdownSections, HeadingsSplitSections) {
  const auto sections = SectionsOf(kClaudeMd);
  ASSERT_EQ(sections.size(), 3u);
  EXPECT_EQ(sections[0].title, "CLAUDE.md");
  EXPECT_EQ(sections[0].content, "Guidance for this repository.");
  EXPECT_EQ(sections[1].title, "Commands");
  EXPECT_EQ(sections[1].content,
            "```sh\n# not a heading\npnpm test\n```\n\n### Slow ones\nuse --only");
  EXPECT_EQ(sections[1].line, 5u);
  EXPECT_EQ(sections[2].title, "Empty › Style") << "a heading without a text is no less a text";
  EXPECT_EQ(sections[2].content, "- tabs, not spaces");
  EXPECT_EQ(SectionsOf("# only a heading").at(0).content, "# only a heading");
  EXPECT_EQ(SectionsOf("no heading\nat all").at(0).title, "");
  EXPECT_EQ(SectionsOf("#hashtag\n    # code\n").size(), 1u);
  EXPECT_EQ(SectionsOf("~~~\n```\n# a\n~~~ \n# b\nc\n").size(), 2u);  // ``` does not end ~~~
}

TEST_F(ApiTest, MarkdownFileIsImportedBySection) {
  const std::string target = "/import?project=web&trust=user";
  Answered taken = PostText(target, kClaudeMd);
  EXPECT_EQ(taken.status, 200) << taken.body;
  EXPECT_EQ(taken.body["imported_observations"], 3) << taken.body;
  EXPECT_EQ(PostText(target, kClaudeMd).body["skipped"], 3);
  EXPECT_EQ(PostText(target + "&format=markdown", kClaudeMd).body["skipped"], 3);
  const Json found = Get("/search?q=tabs+or+spaces&project=web").body;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]["title"], "Empty › Style");
  EXPECT_EQ(found[0]["trust"], "user");
  taken = PostText("/import?project=web", "# ok\n\ntext\n\n# large\n" + std::string(50'001, 'x'));
  EXPECT_EQ(taken.body["imported_observations"], 3) << taken.body;
  EXPECT_EQ(taken.body["errors"], Json::array()) << taken.body;
}

TEST_F(ApiTest, ClaudeCodeMemoryFileKeepsItsNameAndType) {
  const std::string file =
      "---\nname: no-mocks\ndescription: how tests are written\nmetadata:\n  type: "
      "feedback\n---\n\n"
      "Integration tests hit a real database.\n\n**Why:** mocks hid a broken migration.\n";
  Answered taken = PostText("/import?project=web", file);
  EXPECT_EQ(taken.body["imported_observations"], 1) << taken.body;
  const Json row = Get("/observations/1").body;
  EXPECT_EQ(row["title"], "no-mocks");
  EXPECT_EQ(row["type"], "feedback");
  EXPECT_NE(row["content"].get<std::string>().find("description: how tests are written"),
            std::string::npos)
      << row;
}

TEST_F(ApiTest, UnknownImportNamesPositionAndAcceptedFormats) {
  const std::pair<std::string, const char*> refused[] = {
      {R"({"foo":1})", "is a list of memories"},
      {R"({"foo":[{"content":"x"}]})", "is a list of memories"},
      {"{}", "is a list of memories"},
      {"{\n  \"observations\": [\n    oops\n  ]\n}",
       "line 3, byte 27: not valid JSON behind \"o\""},
      {"{\"observations\": [\n",
       "line 1, byte 20: not valid JSON behind \"{\\\"observations\\\": [\""},
      {"[1, 2", "line 1, byte 6: not valid JSON behind \"[1, 2\""}};
  for (const auto& [body, why] : refused) {
    const Answered answer = PostText("/import", body);
    EXPECT_EQ(answer.status, 400) << body;
    const std::string error = base::StringAt(answer.body, {"error"});
    EXPECT_NE(error.find(why), std::string::npos) << error;
    EXPECT_EQ(error.find("exception"), std::string::npos) << error;
    EXPECT_EQ(error.find("syntax error"), std::string::npos) << error;
  }
  EXPECT_NE(
      base::StringAt(PostText("/import", R"({"foo":1})").body, {"error"}).find("accepted are"),
      std::string::npos);
  for (const char* empty : {R"({"observations":[]})", R"({"format":"agent-memory/1"})"})
    EXPECT_EQ(PostText("/import", empty).status, 200) << empty;
}

}  // namespace
}  // namespace memory
