// Objects of the memory API: limits in characters, required fields, summaries, hashes.
#include "lib/api/memory_api.h"

#include <gtest/gtest.h>

namespace api {
namespace {

using base::Json;

std::string Repeat(std::string_view text, size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i) out += text;
  return out;
}

Json Minimal() {
  return {{"session_id", "s"},
          {"type", "decision"},
          {"title", "t"},
          {"content", "c"},
          {"project", "p"}};
}

TEST(MemoryApi, AnObservationNeedsItsFiveFieldsAndHasDefaults) {
  auto made = DecodeNewObservation(Minimal());
  ASSERT_TRUE(made);
  EXPECT_EQ(made->scope, "project");
  EXPECT_TRUE(made->tags.empty());
  EXPECT_EQ(made->topic_key, "");
  for (const char* field : {"session_id", "type", "title", "content", "project"}) {
    for (const Json& bad : {Json(), Json(""), Json(" \t\n　"), Json(7)}) {
      Json body = Minimal();
      body[field] = bad;
      auto refused = DecodeNewObservation(body);
      ASSERT_FALSE(refused) << field << " " << bad;
      EXPECT_NE(refused.error().message.find(field), std::string::npos);
    }
    Json body = Minimal();
    body.erase(field);
    EXPECT_FALSE(DecodeNewObservation(body)) << field;
  }
  EXPECT_FALSE(DecodeNewObservation(Json::array()));
}

TEST(MemoryApi, LimitsCountCharactersAndNameFieldLimitAndValue) {
  struct Case {
    const char* field;
    size_t limit;
  };
  for (auto [field, limit] : {Case{"title", 500},
                              {"content", 50'000},
                              {"type", 50},
                              {"project", 200},
                              {"topic_key", 200}}) {
    Json body = Minimal();
    body[field] = Repeat("😀", limit);
    EXPECT_TRUE(DecodeNewObservation(body)) << field;
    body[field] = Repeat("😀", limit + 1);
    auto refused = DecodeNewObservation(body);
    ASSERT_FALSE(refused) << field;
    EXPECT_EQ(refused.error().message, std::string(field) + " has " + std::to_string(limit + 1) +
                                           " characters, the limit is " + std::to_string(limit));
  }
  Json body = Minimal();
  body["scope"] = Repeat("s", 51);
  EXPECT_EQ(DecodeNewObservation(body).error().message, "scope has 51 characters, the limit is 50");
  body["scope"] = "everywhere";
  EXPECT_FALSE(DecodeNewObservation(body));
}

TEST(MemoryApi, TagsAreAtMostTwentyOfAHundredCharacters) {
  Json body = Minimal();
  body["tags"] = Json::array();
  for (int i = 0; i < 20; ++i) body["tags"].push_back(Repeat("ä", 100));
  EXPECT_TRUE(DecodeNewObservation(body));
  body["tags"].push_back("x");
  EXPECT_EQ(DecodeNewObservation(body).error().message, "tags has 21 entries, the limit is 20");
  body["tags"] = {Repeat("ä", 101)};
  EXPECT_EQ(DecodeNewObservation(body).error().message,
            "tags[0] has 101 characters, the limit is 100");
  body["tags"] = {1};
  EXPECT_FALSE(DecodeNewObservation(body));
  body["tags"] = "x";
  EXPECT_FALSE(DecodeNewObservation(body));
}

TEST(MemoryApi, OuterBlanksAndControlCharactersComeBackExactly) {
  Json body = Minimal();
  body["title"] = "  \x01 title \t";
  EXPECT_EQ(DecodeNewObservation(body)->title, "  \x01 title \t");
}

TEST(MemoryApi, AnObservationSurvivesEncodeAndDecode) {
  Observation row;
  row.id = 42;
  row.session_id = "s";
  row.type = "bugfix";
  row.title = "t";
  row.content = "Content  HERE";
  row.project = "P";
  row.tags = {"a", "b"};
  row.scope = "global";
  row.topic_key = "k";
  row.normalized_hash = NormalizedHash(row.content);
  row.revision_count = 3;
  row.duplicate_count = 2;
  row.created_ms = 1'775'988'000'123;
  row.updated_ms = row.created_ms + 1000;
  row.last_seen_ms = row.created_ms + 2000;
  row.source = {"bash", "call-1", "errors", "rule"};
  Json json = EncodeObservation(row);
  auto again = DecodeObservation(json);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(EncodeObservation(*again), json);
}

TEST(MemoryApi, TheHashIgnoresCaseAndWhiteSpaceOnly) {
  EXPECT_EQ(NormalizedHash("Fixed  the\nBUG "), NormalizedHash("fixed the bug"));
  EXPECT_NE(NormalizedHash("fixed the bug"), NormalizedHash("fixed the bug!"));
  EXPECT_EQ(NormalizedHash("x").size(), 64u);
}

std::string SessionSummary(const std::vector<SummaryMessage>& messages) {
  SummaryBuilder builder;
  for (const SummaryMessage& message : messages) builder.Add(message.role, message.content);
  return builder.Text();
}

TEST(MemoryApi, ASummaryHasTheFormatOfTheSeed) {
  EXPECT_EQ(
      SessionSummary(
          {{"user", "Deploy it"}, {"assistant", "Done"}, {"tool", "ok"}, {"user", "Verify it"}}),
      "Session with 3 messages. Started: \"Deploy it\" — Ended: \"Verify it\"");
  EXPECT_EQ(SessionSummary({{"user", "Only one"}, {"assistant", "yes"}}),
            "Session with 2 messages. Started: \"Only one\"");
  EXPECT_EQ(SessionSummary({{"assistant", "hello"}}), "Session with 1 messages.");
  EXPECT_EQ(SessionSummary({}), "");
}

TEST(MemoryApi, ASummaryCutsAtTwoHundredCharactersIncludingTheEllipsis) {
  std::string summary = SessionSummary({{"user", Repeat("é", 201)}});
  EXPECT_EQ(summary, "Session with 1 messages. Started: \"" + Repeat("é", 199) + "…\"");
}

TEST(MemoryApi, ASessionShowsItsEndOnlyOnceItHasOne) {
  Session session{"s", "p", "", "", 1'775'988'000'000, 0, 0};
  EXPECT_EQ(EncodeSession(session), (Json{{"id", "s"},
                                          {"project", "p"},
                                          {"started_at", "2026-04-12T10:00:00Z"},
                                          {"message_count", 0}}));
}

}  // namespace
}  // namespace api
