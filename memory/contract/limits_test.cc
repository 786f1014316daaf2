// The contract's input validation: every limit of the reference page in characters, what is
// required, and what of JSON and parameters is refused or let through. Through the port.
#include "memory/api/api_fixture.h"

namespace memory {
namespace {

class ContractLimits : public ApiTest {
 protected:
  static std::string Repeat(const std::string& text, size_t times) {
    std::string all;
    for (size_t i = 0; i < times; ++i) all += text;
    return all;
  }
  static Json With(const std::string& field, const Json& value) {
    Json body = NoteBody("text");
    body[field] = value;
    // Every project needs a session of its own.
    if (field == "project") body["session_id"] = "s-" + std::to_string(value.dump().size());
    return body;
  }
};

struct Length {
  const char* field;
  size_t limit;
};
constexpr Length kLengths[] = {
    {"title", 500}, {"content", 50'000}, {"topic_key", 200}, {"type", 50}, {"project", 200}};

TEST_F(ContractLimits, EveryTextIsTakenAtItsLimitAndRefusedOneAboveItCountedInCharacters) {
  for (const auto& [field, limit] : kLengths) {
    for (const char* letter : {"x", "é", "語", "😀"}) {
      EXPECT_EQ(Post("/observations", With(field, Repeat(letter, limit))).status, 201) << field;
      Answered over = Post("/observations", With(field, Repeat(letter, limit + 1)));
      EXPECT_EQ(over.status, 400) << field;
      EXPECT_EQ(over.body["error"], std::string(field) + " has " + std::to_string(limit + 1) +
                                        " characters, the limit is " + std::to_string(limit));
      EXPECT_EQ(over.body["code"], "invalid");
    }
  }
}

TEST_F(ContractLimits, AScopeOverFiftyCharactersIsRefusedByItsLength) {
  EXPECT_EQ(Post("/observations", With("scope", std::string(51, 'g'))).body["error"],
            "scope has 51 characters, the limit is 50");
  EXPECT_EQ(Post("/observations", With("scope", "team")).body["error"],
            "scope is \"team\", it must be \"project\" or \"global\"");
}

TEST_F(ContractLimits, TagsAreTwentyOfAHundredCharacters) {
  EXPECT_EQ(Post("/observations", With("tags", Json(20, Repeat("é", 100)))).status, 201);
  EXPECT_EQ(Post("/observations", With("tags", Json(21, "t"))).body["error"],
            "tags has 21 entries, the limit is 20");
  EXPECT_EQ(Post("/observations", With("tags", {"ok", Repeat("é", 101)})).body["error"],
            "tags[1] has 101 characters, the limit is 100");
  EXPECT_EQ(Post("/observations", With("tags", "t")).status, 400);
  EXPECT_EQ(Post("/observations", With("tags", {1})).status, 400);
}

TEST_F(ContractLimits, AProjectOfASessionHasTwoHundredCharacters) {
  EXPECT_EQ(Post("/sessions", {{"id", "a"}, {"project", Repeat("é", 200)}}).status, 201);
  EXPECT_EQ(Post("/sessions", {{"id", "b"}, {"project", Repeat("é", 201)}}).body["error"],
            "project has 201 characters, the limit is 200");
}

TEST_F(ContractLimits, APatchObeysTheLimitsOfAPost) {
  MustPost(NoteBody("text"));
  EXPECT_EQ(Patch("/observations/1", {{"title", Repeat("é", 501)}}).body["error"],
            "title has 501 characters, the limit is 500");
  EXPECT_EQ(Patch("/observations/1", {{"content", Repeat("é", 50'001)}}).status, 400);
  EXPECT_EQ(Patch("/observations/1", {{"type", Repeat("é", 51)}}).status, 400);
  EXPECT_EQ(Patch("/observations/1", {{"tags", Json(21, "t")}}).status, 400);
  for (const char* field : {"title", "content", "type"})
    EXPECT_EQ(Patch("/observations/1", {{field, " \n"}}).status, 400) << field;
  EXPECT_EQ(Get("/observations/1").body["revision_count"], 1);
}

TEST_F(ContractLimits, ABodyMayHaveOneMebibyteAndNotAByteMore) {
  std::string body = base::DumpJson(NoteBody("text"));
  body += std::string((1 << 20) - body.size(), ' ');
  EXPECT_EQ(PostText("/observations", body).status, 201);
  Answered over = PostText("/observations", body + " ");
  EXPECT_EQ(over.status, 413);
  EXPECT_EQ(over.body["code"], "too_large");
}

TEST_F(ContractLimits, NoListHasMoreThanAThousandRows) {
  Json import = {
      {"format", "agent-memory/1"}, {"sessions", Json::array()}, {"observations", Json::array()}};
  for (int i = 1; i <= 1005; ++i) {
    import["sessions"].push_back({{"id", "s" + std::to_string(i)},
                                  {"project", "p"},
                                  {"summary", "worked"},
                                  {"started_at", "2026-04-12T10:00:00Z"},
                                  { "ended_at",
                                    "2026-04-12T10:00:00Z" }});
    Json row = NoteBody("zeppelin " + std::to_string(i));
    row["session_id"] = "s1";
    row["created_at"] = "2026-04-12T10:00:00Z";
    import["observations"].push_back(std::move(row));
  }
  ASSERT_EQ(Post("/import", import).body["imported_observations"], 1005);
  for (std::string limit : {"1000", "1001", "999999999"}) {
    EXPECT_EQ(Get("/sessions/recent?limit=" + limit).body.size(), 1000u);
    EXPECT_EQ(Get("/observations/recent?limit=" + limit).body.size(), 1000u);
    EXPECT_EQ(Get("/search?q=zeppelin&limit=" + limit).body.size(), 1000u);
    Json context = Get("/context?limit=" + limit + "&sessions=" + limit).body;
    EXPECT_EQ(context["recent_observations"].size(), 1000u);
    EXPECT_EQ(context["recent_sessions"].size(), 1000u);
  }
}

TEST_F(ContractLimits, ARequiredStringThatIsMissingNullEmptyOrBlankIs400AndNamed) {
  for (const char* field : {"session_id", "type", "title", "content", "project"}) {
    for (const Json& value : {Json(), Json(""), Json(" \t\n"), Json(7), Json::array()}) {
      Answered answer = Post("/observations", With(field, value));
      EXPECT_EQ(answer.status, 400) << field << value;
      EXPECT_NE(answer.body.dump().find(field), std::string::npos) << answer.body;
    }
    Json body = NoteBody("text");
    body.erase(field);
    EXPECT_EQ(Post("/observations", body).body["error"], std::string(field) + " is required");
  }
}

TEST_F(ContractLimits, OptionalFieldsMayBeAbsentOrNull) {
  Json body = {{"session_id", "s"},
               {"type", "lesson"},
               {"title", "t"},
               {"content", "bare"},
               {"project", "p"}};
  Json bare = Get("/observations/" + std::to_string(MustPost(body))).body;
  for (const char* field : {"tags", "scope", "topic_key", "source"}) body[field] = nullptr;
  body["content"] = "with nulls";
  Json nulls = Get("/observations/" + std::to_string(MustPost(body))).body;
  for (const Json& row : {bare, nulls}) {
    EXPECT_EQ(row["tags"], Json::array());
    EXPECT_EQ(row["scope"], "project");
    EXPECT_EQ(row["topic_key"], "");
  }
}

TEST_F(ContractLimits, EveryCharacterButNulComesBackExactly) {
  std::string text = "  ";
  for (char c = 1; c < 32; ++c) text += c;
  text += "\x7f \xe2\x80\xae \xef\xbf\xbf é e\xcc\x81 語 👩‍👩‍👧 \xf4\x8f\xbf\xbf ";
  Json body = NoteBody(text);
  body["title"] = text;
  body["tags"] = {text};
  Json row = Get("/observations/" + std::to_string(MustPost(body))).body;
  EXPECT_EQ(row["content"], text);
  EXPECT_EQ(row["title"], text);
  EXPECT_EQ(row["tags"][0], text);
  EXPECT_EQ(Post("/observations", NoteBody(std::string("a\0b", 3))).status, 400);
}

TEST_F(ContractLimits, UnknownFieldsAndParametersAreLetThrough) {
  EXPECT_EQ(Post("/observations?verbose=1", With("colour", "blue")).status, 201);
  EXPECT_EQ(Post("/sessions", {{"id", "x"}, {"project", "p"}, {"agent", "a"}}).status, 201);
  EXPECT_EQ(Get("/observations/recent?colour=blue").body.size(), 1u);
}

TEST_F(ContractLimits, AFilterThatNothingHasMatchesNothing) {
  MustPost(NoteBody("zeppelin"));
  for (std::string filter : {"project=none", "type=none", "scope=none"}) {
    EXPECT_EQ(Get("/search?q=zeppelin&" + filter).body, Json::array()) << filter;
    EXPECT_EQ(Get("/observations/recent?" + filter).body, Json::array()) << filter;
    EXPECT_EQ(Get("/context?query=zeppelin&" + filter).body["recent_observations"], Json::array());
  }
}

TEST_F(ContractLimits, NumbersOfParametersAreWholeAndNamedWhenTheyAreNot) {
  MustPost(NoteBody("zeppelin"));
  for (std::string target :
       {"/search?q=a&limit=", "/context?limit=", "/context?sessions=",
        "/observations/recent?limit=", "/sessions/recent?limit=",
        "/timeline?observation_id=1&before=", "/timeline?observation_id=1&after="}) {
    for (std::string value : {"-1", "ten", "1.5", "", "99999999999999999999999"}) {
      Answered answer = Get(target + value);
      EXPECT_EQ(answer.status, 400) << target << value;
      size_t name = target.find_last_of("?&") + 1;
      EXPECT_EQ(answer.body["error"], target.substr(name, target.size() - name - 1) +
                                          " must be a whole number from 0 to 1000, it is \"" +
                                          value + "\"");
    }
  }
}

}  // namespace
}  // namespace memory
