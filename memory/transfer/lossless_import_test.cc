// Nothing of a text is lost by an import: each line of what a person brings is found in the store,
// or named in the errors.
#include <algorithm>
#include <random>

#include "lib/base/archive/tar.h"
#include "memory/api/api_fixture.h"

namespace memory {
namespace {

constexpr std::string_view kOurNames[] = {"created", "created_at", "title", "type",      "tags",
                                          "id",      "kind",       "name",  "topic_key", "project"};

class LosslessImport : public ApiTest {
 protected:
  // All texts of the rows, and what the report says was not taken.
  std::string Kept(const Json& report) {
    std::string all = base::DumpJson(report["errors"]);
    const Json exported = Get("/export").body;
    for (const Json& trace : exported.value("traces", Json::array()))
      all += "\n" + base::DumpJson(trace["metadata"]);
    for (const Json& row : exported["observations"]) {
      for (const char* field :
           {"title", "content", "type", "created_at", "topic_key", "session_id"})
        all += "\n" + row.value(field, "");
      for (const Json& tag : row["tags"]) all += "\n" + tag.get<std::string>();
    }
    return all;
  }
  // Words that a reader would miss.
  static std::vector<std::string> WordsOf(const std::string& text) {
    std::vector<std::string> words;
    std::string word;
    for (const char c : text + " ") {
      const auto byte = static_cast<unsigned char>(c);
      if (std::isalnum(byte) || byte >= 0x80) {
        word += c;
      } else if (!word.empty()) {
        words.push_back(std::exchange(word, ""));
      }
    }
    return words;
  }
  Answered Send(const std::string& target, const std::string& body, const std::string& type) {
    http::ClientRequest request;
    request.method = "POST";
    request.target = target;
    request.body = body;
    request.timeout_ms = 60'000;
    request.headers.Set("Content-Type", type);
    auto response = client_->Send(request);
    EXPECT_TRUE(response);
    if (!response) return {};
    auto json = base::ParseJson(response->body);
    return {response->status, json ? *json : Json(response->body), response->headers};
  }
};

TEST_F(LosslessImport, HandwrittenNotesKeepAllWords) {
  const std::string notes[] = {
      "a\n\n---\nRemember: b\n",
      "a\n\n---\nRemember: b\n---\nc\n\n---\nd: e\n",
      "---\ncreated: 2024-01-05 10:22\n---\nzero",
      "---\ncreated: 05.01.2024\n---\none",
      "---\ndate: yesterday\ncreated_at: sometime in May\n---\ntwo",
      "---\ntags:\n  - x1\n  -\n  - 7\n---\nthree",
      "---\ntags: x2, #x3; x4\n---\nfour",
      "---\ntitle: No\ntype: [a, b]\n---\nfive",
      "---\ntitle: 2024\nid: 7\n---\nsix",
      "---\ndescription: Deploys: Tuesdays only\n---\nseven",
      "---\ntitle: \"unclosed\nalso: 'this\n---\neight",
      "---\naliases: [nine1, nine2\n---\nnine",
      "---\n- ten1\n- ten2\n---\nten",
      "---\ntitle: eleven\nno field at all\n---\nbody11",
      "---\ntitle: never closed\n\ntext12\n",
      "---\n\nrule13\n\n---\n\nmore13\n",
      "# head14\n\n```yaml\n---\ntitle: fenced\n---\n# not a heading\n```\n\nafter14\n",
      "~~~~\n```\n---\nkind: x\n---\n~~~\n# no15\n~~~~\n# yes15\ntext\n",
      "- item16\n\n      ```sh\n      # comment16\n      ```\n\n## next16\nx\n",
      "1. item17\n   ```\n   ---\n   a: b\n   ---\n   ```\n",
      "> ```\n> # quoted18\n> ```\n# real18\ny\n",
      "<!--\n## Draft19\nold19\n-->\n# kept19\nz\n",
      "<!-- one20 --> text20\n\n<!-- ## Draft20 -->\n",
      "Setext21\n========\n\nbelow21\n\nSub21\n---\n\nunder21\n",
      "##\ttab22\ntext22\n\n#hashtag22\n",
      "# only23\n\n## heads23\n\n### deep23\n",
      "# closing24 ##\ntext24\n",
      "\xEF\xBB\xBF---\ntitle: mark25\n---\ntext25\n",
      "---\r\ntitle: windows26\r\ntags: [x5]\r\n---\r\ntext26\r\n",
      "---\ntitle: dots27\n...\ntext27\n",
      "key28:: value28\n[inline28:: yes]\n- [ ] task28 #todo\n",
      "---\ntitle: twice29\ntitle: again29\n---\ntext29\n",
      "---\nnested:\n  deep30: [a30, {b30: c30}]\n---\ntext30\n",
      "---\nsummary: >\n  folded31\n  lines31\nquote: |\n  kept31\n---\ntext31\n",
      "---\n# comment32 only\n---\ntext32\n",
      "---\n\"quoted33\": \"a: b\"\n---\ntext33\n",
      "---\ntopic_key: " + std::string(300, 'k') + "\nproject: 7\n---\ntext34\n",
      "* * *\n\n---\n\n***\ntext35\n---\n---\ntext35b\n",
      "---\nglobs: **/*.ts\nalwaysApply: false\ndescription: rule36\n---\n\n- text36\n",
      "---\nname: skill37\ndescription: Use when: asked\nallowed-tools: Read, Bash(git:*)\n---\n# "
      "Skill37\n\ntext37\n",
      "\xFF\xFEtext38\n"};
  int number = 0;
  for (const std::string& note : notes) {
    for (const bool vault : {false, true}) {
      const std::string body =
          vault
              ? base::TarFile("folder/n" + std::to_string(number) + ".md", note, 0) + base::TarEnd()
              : note;
      const Answered taken = Send("/import?project=p" + std::to_string(number), body,
                                  vault ? "application/x-tar" : "text/markdown");
      ++number;
      ASSERT_EQ(taken.status, 200) << note << taken.body;
      const std::string kept = Kept(taken.body);
      const size_t mark = note.starts_with("\xEF\xBB\xBF") ? 3 : 0;
      for (const std::string& word : WordsOf(base::ToUtf8(note.substr(mark)))) {
        // Names of fields that we have, and times, which are read as times.
        if (base::IsOneOf(word, kOurNames)) continue;
        if (word == "2024" || word == "01" || word == "05" || word == "22" || word == "10")
          continue;
        EXPECT_NE(kept.find(word), std::string::npos) << word << "\nof\n"
                                                      << note << "\n"
                                                      << taken.body;
      }
    }
  }
}

TEST_F(LosslessImport, InvalidFieldIsReportedAndKept) {
  const Answered taken =
      Send("/import?project=p", "---\ncreated: sometime\ntype: [a]\n---\ntext\n", "text/markdown");
  EXPECT_EQ(taken.body["imported_observations"], 1);
  ASSERT_EQ(taken.body["errors"].size(), 2u) << taken.body;
  for (const Json& error : taken.body["errors"]) {
    EXPECT_EQ(error["kept"], true);
    EXPECT_EQ(error["line"], 1);
  }
}

TEST_F(LosslessImport, ForeignIdIsNoIdentity) {
  const std::string two = "---\nid: 1\ntitle: a\n---\nfirst\n---\nid: 1\ntitle: b\n---\nsecond\n";
  EXPECT_EQ(Send("/import?project=p", two, "text/markdown").body["imported_observations"], 2);
  EXPECT_EQ(Send("/import?project=p", "id,content\n1,third\n1,fourth\n", "text/csv")
                .body["imported_observations"],
            2);
  EXPECT_EQ(Send("/import?project=p", "id,content\n1,third\n", "text/csv").body["skipped"], 1)
      << "an equal text";
  EXPECT_EQ(Get("/export").body["observations"].size(), 4u);
}

TEST_F(LosslessImport, UsedTopicOrSessionRefusesNoText) {
  const std::string rows =
      "content,topic_key,session_id,project\none,t,s,a\ntwo,t,s,a\nthree,t,s,b\n";
  const Answered taken = Send("/import", rows, "text/csv");
  EXPECT_EQ(taken.body["imported_observations"], 3) << taken.body;
  const std::string kept = Kept(taken.body);
  for (const char* word : {"one", "two", "three", "topic_key: t", "session_id: s"})
    EXPECT_NE(kept.find(word), std::string::npos) << kept;
}

TEST_F(LosslessImport, TablesOfEachDialectKeepAllWords) {
  const std::string tables[] = {"content;type\nUser likes tea; green;episodic\n",
                                "content\ttype\none two\tsemantic\n",
                                "sep=;\ncontent;tags\nalpha;b,c\n",
                                "\"content\",\"type\"\n\"multi\nline\",x\n",
                                "\xEF\xBB\xBF"
                                "content,type\r\nbom,x\r\n",
                                "content|owner\npipe|Ann\n",
                                "Content,Created\ndate,05.01.2024\n",
                                "content,session_id\nnumber,7\n",
                                "content,extra\nshort\n",
                                "content,a\nlong,b,surplus\n",
                                "text,owner\nalias,Bob\n",
                                "content,tags\n\"quoted \"\"word\"\"\",\"x;y\"\n",
                                "content,size\nA 5\" pipe,7\nnext,8\n",
                                "content,who\n\"said \"hello\" to\",Eve\nnext,8\n",
                                "content,a\rold,mac\rsecond,line\r",
                                "content,a\nfirst,1\n\"open,2\nthird,3\n",
                                "content,note,note,,\nrow,n1,n2,e1,e2\n",
                                "content,a\nl\xE4tin,\xFF\n",
                                "type,content,scope\nsemantic,\"a\tb\",team\n"};
  for (const std::string& table : tables) {
    const Answered taken = Send("/import?project=t", table, "text/csv; charset=utf-8");
    ASSERT_EQ(taken.status, 200) << table << taken.body;
    EXPECT_GE(taken.body["imported_observations"], 1) << table << taken.body;
    const std::string kept = Kept(taken.body),
                      rows = base::ToUtf8(table).substr(
                          table.find_first_of("\r\n", table.starts_with("sep=") ? 6 : 0));
    for (const std::string& word : WordsOf(rows)) {
      if (word != "05" && word != "01")
        EXPECT_NE(kept.find(word), std::string::npos) << word << "\nof\n" << table;
    }
  }
}

TEST_F(LosslessImport, JsonWithoutAListIsRefused) {
  const std::string long_text = "\"" + std::string(9'000, 'x') + "\"";
  for (const std::string& body : std::vector<std::string>{
           "\"text\"", "null", "7", "true", "-1.5e3", "[]", " [ ] ", "[null]", "[1, 2]", "[[]]",
           "\xEF\xBB\xBF[]", "\xEF\xBB\xBFnull", "{\"a\": 1}", long_text}) {
    const Answered taken = Send("/import", body, "application/json; charset=utf-8");
    EXPECT_EQ(taken.status, 400) << body << taken.body;
    const std::string error = base::StringAt(taken.body, {"error"});
    EXPECT_TRUE(error.find("no list of memories") != error.npos ||
                error.find("is a list of memories") != error.npos)
        << taken.body;
  }
  EXPECT_EQ(Get("/export").body["observations"].size(), 0u);
  // What somebody names may be an empty list of it.
  for (const char* format : {"chatgpt", "claude", "mem0", "agentos-json"})
    EXPECT_EQ(Send("/import?format=" + std::string(format), "[]", "application/json").status, 200)
        << format;
}

// A body of another form than its declared type is refused, and nothing of it is stored.
TEST_F(LosslessImport, BodyMustMatchItsDeclaredType) {
  const std::string tar = base::TarFile("a.md", "text", 0) + base::TarEnd();
  const std::string gzip = "\x1f\x8b\x08", zip = "PK\x03\x04zip";
  const std::pair<const char*, std::string> refused[] = {
      {"application/json", "just text"},
      {"application/json", "# Markdown\n\ntext\n"},
      {"application/json", "---\ntitle: a\n---\ntext\n"},
      {"application/json", "content,type\na,b\n"},
      {"application/json", "nullable"},
      {"application/json", gzip},
      {"application/x-ndjson", "content,type\na,b\n"},
      {"application/x-ndjson", "[]"},
      {"application/x-ndjson", "text"},
      {"application/x-tar", "text"},
      {"application/x-tar", "{}"},
      {"application/vnd.sqlite3", "text"},
      {"application/vnd.sqlite3", tar},
      {"text/csv", "no table at all"},
      {"text/csv", "{\"results\": []}"},
      {"text/csv", zip + std::string(1, '\0')},
      {"text/csv", "SQLite format 3"},
      {"text/markdown", gzip},
      {"text/markdown", zip},
      {"text/markdown", "SQLite format 3"},
      {"text/markdown", std::string("a\0b", 3)}};
  for (const auto& [type, body] : refused) {
    const Answered taken = Send("/import", body, type);
    EXPECT_EQ(taken.status, 400) << type << " " << body << taken.body;
  }
  EXPECT_EQ(Get("/export").body["observations"].size(), 0u);
  const std::pair<const char*, std::string> taken[] = {
      {"application/json", "[\"a memory\", {\"text\": \"another\"}]"},
      {"application/json; charset=utf-8", "{\"kind\":\"export\"}\n{\"kind\":\"end\"}\n"},
      {"APPLICATION/JSON", tar},  // curl --json sends any export so
      {"application/x-tar", base::TarEnd()},
      {"application/x-ndjson", "{\"type\":\"entity\",\"name\":\"n\",\"observations\":[\"o\"]}\n"},
      {"text/markdown", "[1, 2] is Markdown"},
      {"text/markdown", tar},
      {"application/octet-stream", "content\nrow\n"}};
  for (const auto& [type, body] : taken)
    EXPECT_EQ(Send("/import", body, type).status, 200) << type << " " << body;
  EXPECT_EQ(Send("/import?format=markdown", "named text", "application/json").status, 200)
      << "who names the format knows";
  EXPECT_EQ(Get("/export").body["observations"].size(), 7u);
}

TEST_F(LosslessImport, LongTextIsSplitInOrder) {
  std::string text;
  for (int i = 0; text.size() < 160'000; ++i)
    text += "paragraph " + std::to_string(i) + " of a long text\n\n";
  for (const auto& [body, type] : std::vector<std::pair<std::string, std::string>>{
           {"# long\n\n" + text, "text/markdown"},
           {"content\n\"" + text + "\"\n", "text/csv"},
           {base::TarFile("long.md", text, 0) + base::TarEnd(), "application/x-tar"}}) {
    const std::string project = "p" + std::to_string(body.size());
    const Answered taken = Send("/import?project=" + project, body, type);
    EXPECT_EQ(taken.body["errors"], Json::array()) << taken.body;
    const Json rows = Get("/export?project=" + project).body["observations"];
    ASSERT_GE(rows.size(), 4u);
    std::string joined;
    for (size_t i = 0; i < rows.size(); ++i) {
      joined += rows[i]["content"].get<std::string>();
      EXPECT_NE(rows[i]["title"].get<std::string>().find("(" + std::to_string(i + 1) + " of "),
                std::string::npos)
          << rows[i]["title"];
    }
    EXPECT_EQ(WordsOf(joined), WordsOf(text)) << type;
  }
}

TEST_F(LosslessImport, NotesResemblingOurFormatKeepTheirText) {
  const std::string notes[] = {"---\nkind: export\n---\ntext one\n",
                               "---\nkind: end\n---\ntext two\n",
                               "text three\n\n%% agent-memory %%\nbelow four\n",
                               "<!--\n---\ntitle: x\n---\nold five\n-->\n",
                               "---\ncreated: 2024\n---\ntext six\n",
                               "---\ncreated: 20240105\n---\ntext seven\n"};
  const char* const words[] = {"one", "two", "four", "five", "2024", "20240105"};
  for (size_t i = 0; i < std::size(notes); ++i) {
    const std::string project = "o" + std::to_string(i);
    const Answered taken = Send("/import?project=" + project, notes[i], "text/markdown");
    ASSERT_EQ(taken.status, 200) << notes[i] << taken.body;
    const Json rows = Get("/export?project=" + project).body["observations"];
    ASSERT_EQ(rows.size(), 1u) << notes[i];
    EXPECT_NE(rows[0]["content"].get<std::string>().find(words[i]), std::string::npos) << rows;
  }
}

TEST_F(LosslessImport, EqualIdsInAListAreTwoRows) {
  const Json rows = {
      {{"id", 1}, {"content", "a text"}, {"created_at", "2026-01-02T00:00:00Z"}, {"owner", "Ann"}},
      {{"id", 1}, {"content", "another"}, {"created_at", "2026-01-02T00:00:00Z"}}};
  const Answered taken = Send("/import?project=p", base::DumpJson(rows), "application/json");
  EXPECT_EQ(taken.body["imported_observations"], 2) << taken.body;
  const std::string kept = Kept(taken.body);
  for (const char* word : {"a text", "another", "owner: Ann"})
    EXPECT_NE(kept.find(word), std::string::npos) << kept;
}

TEST_F(LosslessImport, RepeatedFieldsAreReadInLinearTime) {
  std::string note = "---\n";
  while (note.size() < 60'000) note += "a: 1\n";
  const Answered taken = Send("/import?project=p", note + "---\ntext\n", "text/markdown");
  EXPECT_EQ(taken.status, 200) << taken.body;
  EXPECT_GE(taken.body["imported_observations"], 1) << taken.body;
}

// The same entry as another kind of thing.
std::string AsKind(std::string entry, char kind) {
  entry[156] = kind;
  unsigned sum = 0;
  for (size_t i = 0; i < 512; ++i)
    sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(entry[i]);
  snprintf(entry.data() + 148, 8, "%06o", sum);
  return entry;
}

TEST_F(LosslessImport, OtherFilesOfAnArchiveAreListedAsSkipped) {
  const std::string tar =
      base::TarFile("notes/a.md", "text", 0) + AsKind(base::TarFile("notes/hard.md", "", 0), '1') +
      AsKind(base::TarFile("notes/link.md", "", 0), '2') +
      AsKind(base::TarFile("elsewhere", "", 0), '2') +
      AsKind(base::TarFile("dev/tty", "", 0), '3') + AsKind(base::TarFile("dev/sda", "", 0), '4') +
      AsKind(base::TarFile("folder", "", 0), '5') + AsKind(base::TarFile("queue", "", 0), '6') +
      base::TarFile("notes/todo.txt", "words", 0) + base::TarFile("notes/plan.canvas", "{}", 0) +
      base::TarFile("notes/b.png", "x", 0) + AsKind(base::TarFile(".git/link.md", "", 0), '2') +
      base::TarEnd();
  for (const char* target : {"/import?project=a", "/import?project=b&format=markdown",
                             "/import?project=c&format=obsidian"}) {
    const Answered taken = Send(target, tar, "application/x-tar");
    EXPECT_EQ(taken.body["imported_observations"], 1) << taken.body;
    EXPECT_EQ(taken.body["skipped"], 8);
    std::vector<std::string> files;
    for (const Json& error : taken.body["errors"]) files.push_back(base::StringAt(error, {"file"}));
    EXPECT_EQ(files, (std::vector<std::string>{"notes/hard.md", "notes/link.md", "elsewhere",
                                               "dev/tty", "dev/sda", "queue", "notes/todo.txt",
                                               "notes/plan.canvas"}));
  }
}

// Lines that mean something to Markdown and YAML, in any order.
TEST_F(LosslessImport, RandomDocumentsKeepEachLine) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const char* const lines[] = {
      "---",        "# w",     "## w w",    "###\tw",  "```",     "~~~",   "<!--",
      "-->",        "w: w",    "title: w",  "- w",     "  - w w", "> w",   "w w w",
      "",           "    w",   "tags: [w",  "===",     "* * *",   "1. w",  "w: {w",
      "created: w", "%% w %%", "| w | w |", "kind: w", "...",     "\\---", "\"w\": w"};
  for (int round = 0; round < 1000; ++round) {
    std::string text;
    for (size_t count = random() % 14 + 1; count > 0; --count) {
      std::string line = lines[random() % std::size(lines)];
      for (size_t at = line.find('w'); at != std::string::npos; at = line.find('w', at + 1))
        line.replace(at, 1, "q" + std::to_string(random() % 100'000) + "z");
      text += line + (random() % 20 ? "\n" : "\r\n");
    }
    const Answered taken = Send("/import?project=r" + std::to_string(round), text, "text/markdown");
    ASSERT_EQ(taken.status, 200) << text << taken.body;
    std::string kept = base::DumpJson(taken.body["errors"]);
    const Json rows = Get("/export?project=r" + std::to_string(round)).body["observations"];
    for (const Json& row : rows) kept += base::DumpJson(row);
    for (const std::string& word : WordsOf(text)) {
      if (word.starts_with('q'))
        ASSERT_NE(kept.find(word), std::string::npos) << word << "\nof\n"
                                                      << text << "\n"
                                                      << kept << taken.body;
    }
  }
}

}  // namespace
}  // namespace memory
