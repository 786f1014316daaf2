// Imports that are broken on purpose: whatever comes is answered, nothing is harmed, and every row
// is accounted for.
#include <random>

#include "lib/base/archive/tar.h"
#include "memory/api/api_fixture.h"
#include "memory/transfer/notes/note_files.h"

namespace memory {
namespace {

constexpr const char* kFormats[] = {"auto",     "json",     "jsonl",  "markdown",
                                    "obsidian", "csv",      "mem0",   "engram",
                                    "chatgpt",  "agentops", "sqlite", "agentos-json"};

// What each format looks like, to be damaged.
std::vector<std::string> Samples() {
  const std::string note = "---\ntitle: a\ntags: [x]\n---\ntext #tag\n";
  return {
      R"({"observations":[{"session_id":"s","type":"t","title":"a","content":"c","project":"p"}]})",
      R"({"kind":"observation","session_id":"s","type":"t","title":"a","content":"c","project":"p"})"
      "\n{\"kind\":\"end\"}\n",
      note + note,
      base::TarFile("a/b.md", note, 0) + base::TarEnd(),
      base::TarFile("a/b.md", note + "[[c|x]] `[[c]]` ![[a/b#h]]\n```\n[[c]]\n```\n", 0) +
          base::TarFile(
              "c.md",
              "---\nid: mt_a\nscope: user\nstrength: 0.5\nmetadata: {a: [1]}\nlastAccessed: "
              "2026-01-01T00:00:00Z\n---\ntext\n\n### Related\n- [[b]] — kind (0.5)\n",
              0) +
          base::TarEnd(),
      "---\nkind: trace\nid: mt_a\nobservation: 1\nscope: user\nscopeId: u\nemotions: '{}'\n---\n\n"
      "text\n\n%% agent-memory %%\n### Related\n- [[t/1-x]] — \"k\" (1e-3)\n",
      "content,tags,created_at\n\"a, b\",\"x;y\",2026-01-01\nc,,1711234567\n",
      R"({"results":[{"memory":"a","metadata":{"b":[1,{"c":null}]},"user_id":"u","categories":["d"]}]})",
      R"({"version":"1","sessions":[{"id":"s","project":"p","started_at":"2026-01-01 00:00:00"}],)"
      R"("observations":[{"id":1,"session_id":"s","type":"t","title":"a","content":"c"}],"prompts":[{"content":"q"}]})",
      R"({"traces":[{"id":"mt_1","content":"c","strength":0.5,"tags":"[\"a\"]","created_at":1,"metadata":"{}"},)"
      R"({"id":"x","content":"d"}],"edges":[{"source_id":"mt_1","target_id":"x","type":"k","weight":1}],)"
      R"("conversations":[{"id":"c","created_at":1}],"messages":[{"conversation_id":"c","role":"user","content":"q"}]})",
      R"([{"title":"t","create_time":1.5,"current_node":"b","mapping":{"a":{"parent":null,"message":null},)"
      R"("b":{"parent":"a","message":{"author":{"role":"user"},"content":{"parts":["q"]}}}}}])",
  };
}

class ForeignHostile : public ApiTest {
 protected:
  ForeignHostile() : seed_(std::random_device()()), random_(seed_) {}
  void Check(const std::string& format, const std::string& body) {
    SCOPED_TRACE("seed " + std::to_string(seed_) + " format " + format + " body " +
                 body.substr(0, 300));
    Answered answer = PostText("/import?format=" + format, body);
    EXPECT_TRUE(answer.status == 200 || answer.status == 400 || answer.status == 413)
        << answer.status;
    EXPECT_TRUE(answer.body.is_object());
    EXPECT_EQ(answer.status == 200, answer.body.contains("errors"));
  }
  unsigned seed_;
  std::mt19937 random_;
};

TEST_F(ForeignHostile, RandomBytesGetAnAnswer) {
  for (int round = 0; round < 200; ++round) {
    std::string body(random_() % 2000, '\0');
    for (char& c : body) c = static_cast<char>(random_() % (round % 2 ? 256 : 128));
    Check(kFormats[static_cast<size_t>(round) % std::size(kFormats)], body);
  }
  EXPECT_EQ(Get("/health").status, 200);
}

TEST_F(ForeignHostile, DamagedExportsGetAnAnswer) {
  const std::vector<std::string> samples = Samples();
  static const std::string kBits[] = {"\"",    ",",
                                      "\n",    "\r",
                                      "---\n", "null",
                                      "{",     "}",
                                      "[",     "]",
                                      "1e999", "\\u0000",
                                      "\xFF",  std::string(1, '\0'),
                                      ":",     "-1",
                                      "true",  "99999999999999999999",
                                      "&a *a"};
  for (int round = 0; round < 600; ++round) {
    std::string body = samples[random_() % samples.size()];
    for (size_t change = 1 + random_() % 4; change > 0; --change) {
      const size_t at = random_() % (body.size() + 1);
      if (random_() % 3 == 0)
        body.erase(at, random_() % 20);
      else
        body.insert(at, kBits[random_() % std::size(kBits)]);
    }
    Check(round % 3 ? "auto" : kFormats[random_() % std::size(kFormats)], body);
  }
  EXPECT_EQ(Get("/health").status, 200);
  EXPECT_EQ(Get("/export").status, 200);
}

TEST_F(ForeignHostile, EveryRowIsImportedSkippedOrRefused) {
  const Json values[] = {nullptr,
                         true,
                         7,
                         -1.5,
                         "",
                         " ",
                         "text",
                         Json::array(),
                         Json::object(),
                         {{"a", {1, "b"}}},
                         std::string(50'001, 'x'),
                         std::string(201, 'y'),
                         Json::array({1, "t"})};
  const char* const fields[] = {
      "content",  "memory",  "title",        "type",          "tags",
      "project",  "scope",   "topic_key",    "session_id",    "created_at",
      "id",       "source",  "metadata",     "user_id",       "extra",
      "strength", "scopeId", "lastAccessed", "observationId", "deleted"};
  for (const char* format : {"mem0", "json", "agentos-json"}) {
    Json rows = Json::array();
    for (int i = 0; i < 300; ++i) {
      Json row = {{"memory", "m" + std::to_string(i)}, {"content", "c" + std::to_string(i)}};
      for (size_t field = random_() % 6; field > 0; --field)
        row[fields[random_() % std::size(fields)]] = values[random_() % std::size(values)];
      rows.push_back(i % 50 ? row : values[random_() % std::size(values)]);
    }
    const bool agentos = std::string(format) == "agentos-json";
    Answered answer =
        Post(std::string("/import?format=") + format,
             {{agentos ? "traces" : "results", rows}, {"observations", Json::array()}});
    SCOPED_TRACE("seed " + std::to_string(seed_));
    ASSERT_EQ(answer.status, 200) << answer.body;
    size_t told = answer.body["imported"].get<size_t>() + answer.body["skipped"].get<size_t>();
    for (const Json& error : answer.body["errors"])
      told += error.is_object() && error.value("kept", false) ? 0 : 1;
    // A text over the limit of a content is several rows.
    if (std::string(format) == "mem0")
      EXPECT_GE(told, rows.size()) << answer.body;
    else
      EXPECT_EQ(told, agentos ? rows.size() : 1u) << answer.body;  // json knows no results
    for (const Json& error : answer.body["errors"])
      EXPECT_FALSE((agentos ? error : error["error"]).get<std::string>().empty());
  }
}

}  // namespace
}  // namespace memory
