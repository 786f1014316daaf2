// Markdown and Obsidian: notes by themselves, and through the port out and in again.
#include "memory/transfer/notes/note_files.h"

#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "lib/base/archive/tar.h"
#include "memory/api/api_fixture.h"
#include "memory/transfer/notes/agent_notes.h"

namespace memory {
namespace {

// Lines and blanks that mean something to notes, between others.
std::string RandomText(std::mt19937& random) {
  static const char* const kParts[] = {
      "---", "\n", "\n",  "\\", "id: 1", "\r",   " ",    "%% agent-memory %%", "#tag", "ü€😀", ": ",
      "\"",  "'",  "- x", "\t", "{",     "null", "\x01", "\xC2\x85",           "\x7F"};
  std::string text;
  for (size_t parts = random() % 12; parts > 0; --parts)
    text += kParts[random() % std::size(kParts)];
  return text + "x";  // a content that is blank is none
}

TEST(Notes, RandomBodiesAndFieldsSurviveARoundTrip) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 2000; ++round) {
    const std::string body = RandomText(random);
    const Json front = {{"kind", "observation"},
                        {"title", RandomText(random)},
                        {"tags", {RandomText(random)}},
                        {"id", round}};
    const std::string text = NoteOf(front, body, round % 2 ? "a footer" : "");
    const ParsedNote note = DecodeNote(text);
    ASSERT_EQ(note.body, body) << text;
    ASSERT_EQ(note.front, front) << text;
  }
}

TEST(Notes, HandwrittenNotesAreParsed) {
  EXPECT_EQ(DecodeNote("just text\n").body, "just text");
  EXPECT_EQ(DecodeNote("---\ntitle: a\n---\ntext\n").body, "text");
  EXPECT_EQ(DecodeNote("---\r\ntitle: a\r\n---\r\n\r\ntext\r\n").body, "text");
  EXPECT_EQ(DecodeNote("---\ntitle: a\n---\none\n---\ntwo\n").body, "one\n---\ntwo");
  EXPECT_EQ(DecodeNote("---\n---\ntext").front, Json::object());
  EXPECT_EQ(DecodeNote("---\ntitle: a\n").body, "---\ntitle: a");
  EXPECT_EQ(DecodeNote("---\n- a\n---\n").body, "---\n- a\n---");
  EXPECT_EQ(DecodeNote("---\na: &x 1\nb: *x\n---\n").front["b"], "*x");
  EXPECT_EQ(DecodeNote("\xFF").body, "\uFFFD");
  EXPECT_EQ(DecodeNote("---\ntitle: No\n---\nx").front["title"], "No");
  EXPECT_EQ(DecodeNote("---\ndescription: Deploys: Tuesdays only\n---\nx").front["description"],
            "Deploys: Tuesdays only");
  EXPECT_EQ(DecodeNote("---\ntags:\n  - a\n  -\n---\nx").front["tags"], (Json{"a", nullptr}));
  EXPECT_EQ(DecodeNote("---\ntitle: a\nno field\n---\nx").body, "no field\n\nx");
}

TEST(Notes, HashBeforeAWordIsATag) {
  EXPECT_EQ(TagsInText("#one text #two/three #1 # a#b\n#one #ü"),
            (std::vector<std::string>{"one", "two/three", "ü"}));
}

class NoteFilesTest : public ApiTest {
 protected:
  void Fill() {
    const unsigned seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    Post("/sessions", {{"id", "S/1 ü"}, {"project", "p"}});
    Post("/sessions/S%2F1%20%C3%BC/end",
         {{"messages", {{{"role", "user"}, {"content", "---\nid: 1"}}}}});
    Post("/sessions", {{"id", "next"}, {"project", "p"}, {"predecessor", "S/1 ü"}});
    for (int i = 0; i < 60; ++i) {
      Json note = NoteBody(RandomText(random) + std::to_string(i));
      note["title"] = RandomText(random);
      note["tags"] = {RandomText(random), "plain"};
      note["type"] = i % 3 ? "decision" : "Größe/../x";
      if (i % 5 == 0) note["topic_key"] = "key " + std::to_string(i);
      if (i % 7 == 0) note["source"] = {{"tool", "bash"}, {"origin", "agent"}};
      MustPost(note);
      if (i % 4 == 0) MustPost(note);  // counted as a duplicate, or a new revision
      clock_.Advance(1234);
    }
  }
  Json Rows() {
    Json exported = Get("/export").body;
    for (Json& row : exported["observations"])
      row.erase("revisions");  // notes have the present text alone
    exported.erase("exported_at");
    return exported;
  }
};

TEST_F(NoteFilesTest, AllRowsSurviveARoundTripOnce) {
  Fill();
  const Json wanted = Rows();
  for (const char* format : {"notes", "markdown", "obsidian"}) {
    StartEmpty();
    Post("/import", wanted);
    Answered exported = Get(std::string("/export?format=") + format);
    ASSERT_EQ(exported.status, 200);
    const std::string file = exported.body.get<std::string>();
    StartEmpty();
    Answered taken = PostText("/import", file);
    EXPECT_EQ(taken.status, 200) << taken.body;
    EXPECT_EQ(taken.body["errors"], Json::array()) << format;
    EXPECT_EQ(taken.body["imported_observations"], wanted["observations"].size());
    EXPECT_EQ(Rows(), wanted) << format;
    Answered again = PostText("/import", file);
    EXPECT_EQ(again.body["imported_observations"], 0) << format;
    EXPECT_EQ(again.body["imported_sessions"], 0) << format;
    EXPECT_EQ(Get(std::string("/export?format=") + format).headers.Get("Content-Type"),
              exported.headers.Get("Content-Type"));
  }
}

TEST_F(NoteFilesTest, TruncatedNotesFileIsRefused) {
  MustPost(NoteBody("The text."));
  const std::string file = Get("/export?format=notes").body.get<std::string>();
  EXPECT_NE(file.find("\n---\n\nThe text.\n\n---\n"), std::string::npos) << file;
  EXPECT_NE(file.find("\ntitle: "), std::string::npos) << file;
  StartEmpty();
  const size_t last = file.rfind("---\nkind: end");
  ASSERT_NE(last, std::string::npos);
  EXPECT_EQ(PostText("/import", file.substr(0, last)).status, 400);
  EXPECT_EQ(PostText("/import", file + "---\ntitle: more\n---\nmore\n").status, 400);
  EXPECT_EQ(PostText("/import", file).body["imported_observations"].get<int>() +
                PostText("/import", file).body["imported_observations"].get<int>(),
            0);
}

TEST_F(NoteFilesTest, HandwrittenNotesAreImportedInOneFile) {
  const std::string file =
      "---\ntitle: First\ntags: [a, b]\n---\nText\n---\nwith a rule\n"
      "---\ntitle: {bad\n---\nlost\n"
      "---\ntype: lesson\n---\n# A heading\n\nof a lesson\n";
  Answered taken = PostText("/import?project=hand", file);
  EXPECT_EQ(taken.body["imported_observations"], 3) << taken.body;
  Json rows = Get("/export").body["observations"];
  EXPECT_EQ(rows[0]["content"], "Text\n---\nwith a rule");
  EXPECT_EQ(rows[0]["tags"], (Json{"a", "b"}));
  EXPECT_EQ(rows[0]["source"]["origin"], "import");
  EXPECT_EQ(rows[1]["title"], "{bad");
  EXPECT_EQ(rows[1]["content"], "lost") << "nothing is";
  EXPECT_EQ(rows[2]["title"], "A heading");
  EXPECT_EQ(rows[2]["type"], "lesson");
  EXPECT_EQ(PostText("/import?project=hand", file).body["skipped"], 3);
}

TEST_F(NoteFilesTest, VaultHasAFilePerRowAndLinksToSessions) {
  Json note = NoteBody("Text.");
  note["tags"] = {"two words", "plain"};
  note["title"] = "Why: SQLite?";
  note["type"] = "decision";
  note["session_id"] = "s 1";
  MustPost(note);
  const std::string vault = Get("/export?format=obsidian").body.get<std::string>();
  EXPECT_TRUE(base::StartsAsTar(vault));
  EXPECT_NE(vault.find("decision/mt_00000000-0000-8000-8000-000000000001.md"), std::string::npos);
  EXPECT_NE(vault.find("#two-words #plain"), std::string::npos);
  EXPECT_NE(vault.find("Session [[_sessions/s-1-"), std::string::npos);
  EXPECT_EQ(Get("/export?format=obsidian&project=none").body.get<std::string>(), base::TarEnd());
  StartEmpty();
  for (size_t cut : {vault.size() - 1024, vault.size() / 2 / 512 * 512, size_t{700}})
    EXPECT_EQ(PostText("/import?format=obsidian", vault.substr(0, cut)).status, 400) << cut;
}

TEST(AgentNotes, TitleIsTheHeadingOrTheFirstSentence) {
  for (const auto& [text, title] :
       {std::pair("# Use pytest\n\nNot unittest.", "Use pytest"),
        {"\n## Deploys\ntext", "Deploys"},
        {"Use pytest, not unittest. **Why:** fixtures.", "Use pytest, not unittest"},
        {"Prices are integer cents, e.g. 1999 etc. and never floats. See ADR 3.",
         "Prices are integer cents, e.g. 1999 etc. and never floats"},
        {"Is it 5433? Yes, since May.", "Is it 5433? Yes, since May"},
        {"Wirklich? Ja. Immer deutsch antworten!", "Wirklich? Ja. Immer deutsch antworten!"},
        {"v1.2.3 is pinned\n\nsecond paragraph", "v1.2.3 is pinned"},
        {"and so on...", "and so on..."},
        {"", "(untitled)"}})
    EXPECT_EQ(TitleOfText(text), title) << text;
  EXPECT_LE(TitleOfText(std::string(5'000, 'x')).size(), 124U);
}

TEST(AgentNotes, FileOfLinksOnlyIsAnIndex) {
  for (const char* index :
       {"- [Tests](feedback_tests.md) — pytest, not unittest\n",
        "# Memory index\n\n* [A](a.md)\n* [B](b/c.md): more\n", "+ [A](a.markdown)"})
    EXPECT_TRUE(IsIndex(index)) << index;
  for (const char* other :
       {"", "# Memory\n", "- Use pytest\n", "- [A](a.md)\nUse pytest.\n",
        "- [the site](https://example.com)\n", "- [ ] a task in a.md\n", "- [A](a.md\n"})
    EXPECT_FALSE(IsIndex(other)) << other;
}

TEST_F(NoteFilesTest, AgentMemoryFilesAreTitledByTextWithoutIndex) {
  const std::string memory =
      base::TarFile("MEMORY.md", "# Memory\n\n- [Tests](feedback_tests.md) — pytest\n", 0) +
      base::TarFile("feedback_tests.md",
                    "---\nname: feedback-tests\ndescription: which test framework\nmetadata:\n"
                    "  node_type: memory\n  type: feedback\n  originSessionId: 0-1\n---\n\n"
                    "Use pytest, not unittest. Fixtures are in conftest.py.\n\n**Why:** quagga\n",
                    0) +
      base::TarFile(
          "old_style.md",
          "---\nname: old\ndescription: older files\ntype: user\n---\n# Prefers tabs\n\nzebra\n",
          0) +
      base::TarFile("plain.md", "Staging listens on 5433. Since May.", 0) + base::TarEnd();
  const Answered taken = PostText("/import?project=v&trust=user", memory);
  EXPECT_EQ(taken.body["imported_observations"], 3) << taken.body;
  ASSERT_EQ(taken.body["errors"].size(), 1u) << taken.body;
  EXPECT_EQ(taken.body["errors"][0]["file"], "MEMORY.md");
  EXPECT_EQ(taken.body["errors"][0]["kept"], true) << "no failure";
  std::map<std::string, std::string> types;
  for (const Json& row : Get("/observations/recent?project=v").body) {
    types[row["title"]] = row["type"];
    EXPECT_EQ(row["content"].dump().find("node_type"), std::string::npos) << row;
  }
  EXPECT_EQ(types, (std::map<std::string, std::string>{{"Use pytest, not unittest", "feedback"},
                                                       {"Prefers tabs", "user"},
                                                       {"Staging listens on 5433", "discovery"}}));
  EXPECT_EQ(PostText("/import?project=v&trust=user", memory).body["imported"], 0);
}

TEST_F(NoteFilesTest, TextInAnIndexIsImported) {
  const std::string memory =
      base::TarFile(
          "memory/MEMORY.md",
          "- [Tests](tests.md)\n\n## Deploys\n\nOn Tuesdays.\n\n## Links\n\n- [A](a.md)\n", 0) +
      base::TarFile("other/note name.md", "A vault's title is its file's name. Always.", 0) +
      base::TarEnd();
  EXPECT_EQ(PostText("/import?project=v", memory).body["imported_observations"], 2);
  std::set<std::string> titles;
  for (const Json& row : Get("/observations/recent?project=v").body) titles.insert(row["title"]);
  EXPECT_EQ(titles, (std::set<std::string>{"Deploys", "note name"}));
}

TEST_F(NoteFilesTest, IndexAsASingleFileIsNotImported) {
  struct Case {
    const char* file;
    std::set<std::string> contents;
    size_t indexes;
  };
  const Case cases[] = {
      {"- [Tests](feedback_tests.md) — pytest, not unittest\n", {}, 1},
      {"# Memory index\n\n- [Tests](tests.md) — pytest\n* [A](sub/a.md)\n", {}, 1},
      {"\xEF\xBB\xBF# Memory\r\n\r\n- [Tests](tests.md) — pytest\r\n", {}, 1},
      {"- [Tests](tests.md)\n\n## Deploys\n\nOn Tuesdays.\n\n## More\n\n+ [A](a.md)\n",
       {"On Tuesdays."},
       2},
      {"- [Tests](tests.md)\n- Use tabs.\n", {"- [Tests](tests.md)\n- Use tabs."}, 0},
      {"## Site\n\n- [Site](https://example.com)\n", {"- [Site](https://example.com)"}, 0}};
  for (const Case& one : cases) {
    StartEmpty();
    for (const char* query : {"project=v", "project=v&format=markdown"}) {
      const Answered taken = PostText("/import?" + std::string(query), one.file);
      EXPECT_EQ(taken.status, 200) << one.file << taken.body;
      EXPECT_EQ(taken.body["errors"].size(), one.indexes) << one.file << taken.body;
      for (const Json& error : taken.body["errors"]) {
        EXPECT_EQ(error["kept"], true) << error;
        EXPECT_TRUE(error.contains("line")) << error;
      }
    }
    std::set<std::string> found;
    for (const Json& row : Get("/observations/recent?project=v").body) found.insert(row["content"]);
    EXPECT_EQ(found, one.contents) << one.file;
  }
}

TEST_F(NoteFilesTest, ForeignVaultIsImported) {
  const std::string vault =
      base::TarFile("notes/procedural/Deploy it.md", "Use [[Compose]] #docker #ops\n", 0) +
      base::TarFile("notes/.obsidian/app.md", "hidden", 0) +
      base::TarFile("notes/picture.png", "\xFF", 0) + base::TarFile("notes/Empty.md", "", 0) +
      base::TarFile("notes/bad.md", "\xFF", 0) +
      base::TarFile("notes/large.md", std::string((8 << 20) + 1, 'x'), 0) + base::TarEnd();
  Answered taken = PostText("/import?project=v", vault);
  EXPECT_EQ(taken.body["imported_observations"], 2) << taken.body;
  EXPECT_EQ(taken.body["skipped"], 1);
  ASSERT_EQ(taken.body["errors"].size(), 1u) << taken.body;
  EXPECT_EQ(taken.body["errors"][0]["file"], "notes/large.md");
  Json row = Get("/export").body["observations"][0];
  EXPECT_EQ(row["type"], "procedural");
  EXPECT_EQ(row["title"], "Deploy it");
  EXPECT_EQ(row["tags"], (Json{"docker", "ops"}));
  EXPECT_EQ(row["content"], "Use [[Compose]] #docker #ops");
}

}  // namespace
}  // namespace memory
