// What a writer accepts, its readers accept: a value at the limit of levels comes back from every
// answer and every export, and so does a deeper one of an earlier version.
#include "lib/base/json/stored.h"
#include "memory/api/api_fixture.h"
#include "memory/made_formats_fixture.h"

namespace memory {
namespace {

Json Nested(size_t levels) {
  return *base::ParseJson(std::string(levels, '[') + std::string(levels, ']'));
}

Json ObjectOf(size_t levels) { return {{"a", Nested(levels - 1)}}; }

class DeepValues : public ApiTest {
 protected:
  Answered PutItem(const Json& body) {
    return Send(*client_, "PUT", "/items/k", base::DumpJson(body));
  }
  Answered PutTrace(const Json& extras) {
    Json body = {{"content", "the user prefers tea"}, {"project", "p"}};
    body.update(extras);
    return Post("/traces", body);
  }
  Answered PutEpisode(const Json& fields) {
    Json body = {{"conversation_id", "c1"}, {"agent_id", "coder"}, {"summary", "We chose tea."}};
    body.update(fields);
    return Post("/episodic/store", body);
  }
  // The bytes, which a JSON parser may refuse.
  std::string ExportText(const std::string& format) {
    http::ClientRequest request;
    request.method = "GET";
    request.target = "/export?format=" + format;
    request.timeout_ms = 60'000;
    auto response = client_->Send(request);
    EXPECT_TRUE(response);
    return response ? response->body : "";
  }
};

TEST_F(DeepValues, AtTheLimitComeBackFromEveryAnswerAndExport) {
  const Json deep = ObjectOf(base::kMaxStoredLevels);
  ASSERT_EQ(PutItem({{"value", Nested(base::kMaxStoredLevels)}, {"metadata", deep}}).status, 201);
  ASSERT_EQ(PutTrace({{"metadata", deep}, {"emotions", deep}}).status, 201);
  ASSERT_EQ(PutEpisode({{"entities", Json::array({ObjectOf(base::kMaxStoredLevels - 1)})},
                        {"metadata", deep}})
                .status,
            201);
  ASSERT_EQ(Send(*client_, "PUT", "/shared/a/k?as=a", base::DumpJson(deep)).status, 201);
  ASSERT_EQ(
      Post("/conversations/c1/messages", {{"messages", Json::array()}, {"toolMeta", deep}}).status,
      200);
  for (const char* list : {"/items", "/episodic/c1", "/shared", "/conversations", "/export"}) {
    const Answered answer = Get(list);
    EXPECT_EQ(answer.status, 200) << list;
    EXPECT_TRUE(answer.body.is_object()) << "deeper than a reader's limit: " << list;
  }
  for (const std::string& format : Made({"json", "jsonl", "sqlite", "agentos-json"})) {
    const std::string exported = ExportText(format);
    StartEmpty();
    const Answered taken = PostText("/import?as=a&format=" + format, exported);
    ASSERT_EQ(taken.status, 200) << format << taken.body;
    EXPECT_EQ(taken.body["errors"], Json::array()) << format;
    const Json again = Get("/export?format=json").body;
    ASSERT_TRUE(again.is_object());
    ASSERT_EQ(again["traces"].size(), 1u) << format << again;
    EXPECT_EQ(again["traces"][0]["metadata"], deep) << format;
    if (format == "agentos-json") break;  // has no items
    EXPECT_EQ(Get("/items/k").body["value"], Nested(base::kMaxStoredLevels)) << format;
    EXPECT_EQ(Get("/episodic/c1").body["memories"][0]["metadata"], deep) << format;
  }
}

TEST_F(DeepValues, BeyondTheLimitAreRefusedWithFieldAndLimit) {
  const size_t over = base::kMaxStoredLevels + 1;
  const auto expect = [](const Answered& answer, const std::string& field) {
    EXPECT_EQ(answer.status, 400) << field;
    EXPECT_EQ(base::StringAt(answer.body, {"error"}),
              field + " nests 61 levels deep, the limit is 60");
  };
  expect(PutItem({{"value", Nested(over)}}), "value");
  expect(PutItem({{"value", 1}, {"metadata", ObjectOf(over)}}), "metadata");
  EXPECT_EQ(PutItem({{"value", 1}}).status, 201);
  expect(Patch("/items/k", {{"value", Nested(over)}}), "value");
  expect(PutTrace({{"metadata", ObjectOf(over)}}), "metadata");
  expect(PutTrace({{"emotions", ObjectOf(over)}}), "emotions");
  expect(PutEpisode({{"metadata", ObjectOf(over)}}), "metadata");
  expect(PutEpisode({{"key_decisions", Json::array({ObjectOf(over - 1)})}}), "key_decisions");
  expect(Send(*client_, "PUT", "/shared/a/k?as=a", base::DumpJson(Nested(over))), "value");
  expect(Post("/conversations/c1/messages",
              {{"messages", Json::array()}, {"toolMeta", ObjectOf(over)}}),
         "toolMeta");
  EXPECT_EQ(Post("/conversations/c1/messages", {{"messages", Json::array()}}).status, 200);
  expect(Send(*client_, "PUT", "/conversations/c1/state",
              base::DumpJson({{"state", "open"}, {"notes", Nested(over)}})),
         "notes");
}

TEST_F(DeepValues, OfAnEarlierVersionAreExportedAndImported) {
  const Json item = {{"kind", "item"},
                     {"key", "k"},
                     {"project", "default"},
                     {"value", Nested(base::kMaxImportedLevels)},
                     {"metadata", ObjectOf(base::kMaxImportedLevels)},
                     {"ttl", 0},
                     {"created", "2026-04-12T00:00:00Z"},
                     {"accessed", "2026-04-12T00:00:00Z"}};
  const std::string lines = R"({"kind":"export","format":"agent-memory/1"})"
                            "\n" +
                            base::DumpJson(item) + "\n{\"kind\":\"end\"}\n";
  const auto expect_taken = [&](const std::string& exported, const std::string& format) {
    const Answered taken = PostText("/import?format=" + format, exported);
    ASSERT_EQ(taken.status, 200) << format << taken.body;
    EXPECT_EQ(taken.body["imported_items"], 1) << format << taken.body;
    EXPECT_EQ(taken.body["errors"], Json::array()) << format;
    EXPECT_EQ(Get("/items/k").body["value"], Nested(base::kMaxImportedLevels)) << format;
  };
  expect_taken(lines, "jsonl");
  for (const std::string& format : Made({"json", "jsonl", "sqlite"})) {
    const std::string exported = ExportText(format);
    StartEmpty();
    expect_taken(exported, format);
  }
  // No line could have this one again.
  std::string deeper = ExportText("json");
  const size_t value = deeper.find("[[[");
  ASSERT_NE(value, std::string::npos);
  deeper.insert(deeper.find("]]]", value), "]").insert(value, "[");
  StartEmpty();
  EXPECT_EQ(PostText("/import?format=json", deeper).status, 400);
}

TEST_F(DeepValues, WorkingMemoryOfAnImportIsReadAgain) {
  const auto lines_of = [](size_t levels) {
    const Json hash = {{"notes", base::DumpJson(Nested(levels))}};
    const Json line = {{"kind", "aegis"}, {"key", "working_memory:c1"}, {"hash", hash}};
    return std::string(R"({"kind":"export","format":"agent-memory/1"})") + "\n" +
           base::DumpJson(line) + "\n{\"kind\":\"end\"}\n";
  };
  const Answered refused = PostText("/import?format=jsonl", lines_of(63));
  EXPECT_EQ(refused.body["errors"].size(), 1u) << refused.body;
  EXPECT_EQ(Get("/working-memory/c1").status, 200) << "nothing that cannot be read was stored";
  const Answered taken = PostText("/import?format=jsonl", lines_of(62));
  EXPECT_EQ(taken.body["errors"], Json::array()) << taken.body;
  EXPECT_EQ(Get("/working-memory/c1").body["fields"]["notes"], Nested(62));
}

}  // namespace
}  // namespace memory
