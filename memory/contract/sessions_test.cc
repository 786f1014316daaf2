// The contract's sessions, sentence by sentence; what is not here is in sessions_route_test.cc.
#include "lib/base/text/text.h"
#include "memory/api/api_fixture.h"

namespace memory {
namespace {

class ContractSessions : public ApiTest {
 protected:
  void Begin(const std::string& id, const std::string& project = "p") {
    ASSERT_EQ(Post("/sessions", {{"id", id}, {"project", project}}).status, 201);
  }
  Answered End(const std::string& id, const std::vector<Json>& messages) {
    return Post("/sessions/" + id + "/end", {{"messages", messages}});
  }
  static Json Said(const std::string& role, const std::string& content) {
    return {{"role", role}, {"content", content}};
  }
};

TEST_F(ContractSessions, TheSummaryCountsQuotesTheFirstAndTheLastUserMessageAndCutsThem) {
  Begin("s");
  std::string first, last;
  for (int i = 0; i < 201; ++i) first += "é";
  for (int i = 0; i < 200; ++i) last += "語";
  std::vector<Json> messages = {Said("system", "not counted"), Said("user", first)};
  for (int i = 0; i < 11; ++i) messages.push_back(Said("assistant", "a"));
  messages.push_back(Said("user", "in between"));
  messages.push_back(Said("tool", "not counted"));
  messages.push_back(Said("user", last));
  Answered answer = End("s", messages);
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body["message_count"], 14);
  EXPECT_EQ(answer.body["summary"], "Session with 14 messages. Started: \"" +
                                        std::string(base::Prefix(first, 199)) + "…\" — Ended: \"" +
                                        last + "\"");
}

TEST_F(ContractSessions, OneUserMessageHasNoEndedPart) {
  Begin("s");
  EXPECT_EQ(End("s", {Said("user", "hello")}).body["summary"],
            "Session with 1 messages. Started: \"hello\"");
}

TEST_F(ContractSessions, ASecondEndSaysMoreOrKeepsTheSummaryThereIs) {
  Begin("s");
  End("s", {Said("user", "one")});
  EXPECT_EQ(End("s", {}).body["summary"], "Session with 1 messages. Started: \"one\"");
  EXPECT_EQ(End("s", {}).body["message_count"], 1);
  EXPECT_EQ(End("s", {Said("user", "one"), Said("user", "two")}).body["summary"],
            "Session with 2 messages. Started: \"one\" — Ended: \"two\"");
}

TEST_F(ContractSessions, AnEndWithoutMessagesIsTakenAndHasAnEmptySummary) {
  Begin("s");
  for (const Json& body :
       {Json::object(), Json{{"messages", nullptr}}, Json{{"messages", Json::array()}}}) {
    Answered answer = Post("/sessions/s/end", body);
    EXPECT_EQ(answer.status, 200) << body;
    EXPECT_EQ(answer.body["summary"], "");
    EXPECT_EQ(answer.body["message_count"], 0);
  }
}

TEST_F(ContractSessions, AnOpenSessionHasNoEndAndAnEndedOneHasAllFields) {
  Begin("s");
  Json open = Get("/sessions/recent").body.at(0);
  EXPECT_FALSE(open.contains("ended_at"));
  clock_.Advance(15 * kMinute);
  End("s", {Said("user", "hello"), Said("assistant", "hi")});
  EXPECT_EQ(Get("/sessions/recent").body.at(0),
            (Json{{"id", "s"},
                  {"project", "p"},
                  {"started_at", "2026-04-12T00:00:00Z"},
                  {"ended_at", "2026-04-12T00:15:00Z"},
                  {"summary", "Session with 2 messages. Started: \"hello\""},
                  {"message_count", 2}}));
}

TEST_F(ContractSessions, AnEndedIdIsAnsweredUnchangedAndStillTakesObservations) {
  Begin("s-p");
  End("s-p", {Said("user", "hello")});
  clock_.Advance(kMinute);
  Answered again = Post("/sessions", {{"id", "s-p"}, {"project", "P"}});
  EXPECT_EQ(again.status, 201);
  EXPECT_EQ(again.body["ended_at"], "2026-04-12T00:00:00Z");
  EXPECT_EQ(again.body["message_count"], 1);
  EXPECT_EQ(Post("/observations", NoteBody("afterthought")).status, 201);
  EXPECT_EQ(Get("/sessions/recent").body.at(0)["ended_at"], "2026-04-12T00:00:00Z");
}

TEST_F(ContractSessions, AnUnknownSessionCannotEndAndOneOfAnotherProjectIsAConflict) {
  EXPECT_EQ(End("nobody", {}).status, 404);
  EXPECT_EQ(End("nobody", {}).body["error"], "there is no session nobody");
  Begin("s", "mine");
  Answered other = Post("/sessions", {{"id", "s"}, {"project", "theirs"}});
  EXPECT_EQ(other.status, 409);
  EXPECT_EQ(other.body["code"], "conflict");
  EXPECT_FALSE(other.body.contains("project"));
  // Who says whose it is gets the answer of one that is not there, and writes nothing.
  const Json end = {{"messages", {Said("user", "PWNED")}}};
  Answered foreign = Post("/sessions/s/end?project=theirs", end);
  EXPECT_EQ(foreign.status, 404);
  EXPECT_EQ(foreign.body["error"], "there is no session s in project theirs");
  EXPECT_EQ(Post("/sessions/t/end?project=theirs", end).body["error"],
            "there is no session t in project theirs");
  EXPECT_FALSE(Get("/sessions/recent").body.at(0).contains("summary"));
  EXPECT_EQ(Post("/sessions/s/end?project=MINE", end).status, 200);
}

TEST_F(ContractSessions, AnIdMayHaveAnyCharactersInItsPath) {
  for (std::string id : {"a/b", "über 1", "%41", "語", "a?b#c"}) {
    Begin(id);
    Answered answer = End(http::PercentEncode(id), {Said("user", id)});
    EXPECT_EQ(answer.status, 200) << id;
    EXPECT_EQ(answer.body["session_id"], id);
  }
}

TEST_F(ContractSessions, AMessageNeedsRoleAndContent) {
  Begin("s");
  for (const Json& message :
       {Json{{"role", "user"}}, Json{{"content", "x"}}, Json{{"role", " "}, {"content", "x"}},
        Json("text"), Json{{"role", "user"}, {"content", 5}}}) {
    EXPECT_EQ(End("s", {message}).status, 400) << message;
  }
  EXPECT_FALSE(Get("/sessions/recent").body.at(0).contains("ended_at"));
}

}  // namespace
}  // namespace memory
