// Markdown and Obsidian: notes by themselves, and through the port out and in again.
#include "memory/transfer/notes/note_files.h"

#include <random>

#include "memory/api/api_fixture.h"
#include "memory/transfer/notes/tar_archive.h"

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

TEST(Notes, AnyBodyAndAnyFieldComeBackAsTheyWere) {
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
    auto note = DecodeNote(text);
    ASSERT_TRUE(note) << note.error().message << "\n" << text;
    ASSERT_EQ(note->body, body) << text;
    ASSERT_EQ(note->front, front) << text;
  }
}

TEST(Notes, AreReadAsPeopleWriteThem) {
  EXPECT_EQ(DecodeNote("just text\n")->body, "just text");
  EXPECT_EQ(DecodeNote("---\ntitle: a\n---\ntext\n")->body, "text");
  EXPECT_EQ(DecodeNote("---\r\ntitle: a\r\n---\r\n\r\ntext\r\n")->body, "text");
  EXPECT_EQ(DecodeNote("---\ntitle: a\n---\none\n---\ntwo\n")->body, "one\n---\ntwo");
  EXPECT_EQ(DecodeNote("---\n---\ntext")->front, Json::object());
  EXPECT_EQ(DecodeNote("---\ntitle: a\n")->body, "---\ntitle: a");
  EXPECT_EQ(DecodeNote("---\n- a\n---\n")->body, "---\n- a\n---");
  EXPECT_EQ(DecodeNote("---\na: &x 1\nb: *x\n---\n")->front["b"], "*x");
  EXPECT_EQ(DecodeNote("\xFF")->body, "\uFFFD");
  EXPECT_EQ(DecodeNote("---\ntitle: No\n---\nx")->front["title"], "No");
  EXPECT_EQ(DecodeNote("---\ndescription: Deploys: Tuesdays only\n---\nx")->front["description"],
            "Deploys: Tuesdays only");
  EXPECT_EQ(DecodeNote("---\ntags:\n  - a\n  -\n---\nx")->front["tags"], (Json{"a", nullptr}));
  EXPECT_EQ(DecodeNote("---\ntitle: a\nno field\n---\nx")->body, "no field\n\nx");
}

TEST(Notes, AHashBeforeAWordIsATag) {
  EXPECT_EQ(TagsInText("#one text #two/three #1 # a#b\n#one #ü"),
            (std::vector<std::string>{"one", "two/three", "ü"}));
}

class NoteFilesTest : public ApiTest {
 protected:
  void StartEmpty() {
    server_.reset();
    scratch_.Remove("data");
    Start();
  }
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

TEST_F(NoteFilesTest, EverythingGoesOutAndInAndTwiceIsSkipped) {
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

TEST_F(NoteFilesTest, AFileOfNotesCanBeReadAndOneThatWasCutIsRefused) {
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

TEST_F(NoteFilesTest, NotesWrittenByHandAreTakenAndRefusedOnesHaveTheirLine) {
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

TEST_F(NoteFilesTest, AVaultHasAFileForEachAndLinksToSessions) {
  Json note = NoteBody("Text.");
  note["tags"] = {"two words", "plain"};
  note["title"] = "Why: SQLite?";
  note["type"] = "decision";
  note["session_id"] = "s 1";
  MustPost(note);
  const std::string vault = Get("/export?format=obsidian").body.get<std::string>();
  EXPECT_TRUE(StartsAsTar(vault));
  EXPECT_NE(vault.find("decision/mt_00000000-0000-8000-8000-000000000001.md"), std::string::npos);
  EXPECT_NE(vault.find("#two-words #plain"), std::string::npos);
  EXPECT_NE(vault.find("Session [[_sessions/s-1-"), std::string::npos);
  EXPECT_EQ(Get("/export?format=obsidian&project=none").body.get<std::string>(), TarEnd());
  StartEmpty();
  for (size_t cut : {vault.size() - 1024, vault.size() / 2 / 512 * 512, size_t{700}})
    EXPECT_EQ(PostText("/import?format=obsidian", vault.substr(0, cut)).status, 400) << cut;
}

TEST_F(NoteFilesTest, AnybodysVaultIsTaken) {
  const std::string vault =
      TarFile("notes/procedural/Deploy it.md", "Use [[Compose]] #docker #ops\n", 0) +
      TarFile("notes/.obsidian/app.md", "hidden", 0) + TarFile("notes/picture.png", "\xFF", 0) +
      TarFile("notes/Empty.md", "", 0) + TarFile("notes/bad.md", "\xFF", 0) +
      TarFile("notes/large.md", std::string((8 << 20) + 1, 'x'), 0) + TarEnd();
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
