// Shows that the log has a turn's injection byte for byte, and that a replay uses the current
// ranking.
#include "sidecar/routes/injection_routes.h"

#include <gtest/gtest.h>

#include "sidecar/sidecar_fixture.h"
#include "sidecar/state/state.h"

namespace sidecar {
namespace {

using base::Json;

Json Memory(int64_t id, double rank, int revision = 1) {
  const std::string title = "memory " + std::to_string(id);
  return {{"id", id},     {"type", "bugfix"},      {"title", title},  {"content", "about " + title},
          {"rank", rank}, {"method", "fts5_bm25"}, {"trust", "rule"}, {"revision_count", revision}};
}

class InjectionReplay : public SidecarTest {
 protected:
  void Rank(const Json& memories) {
    memory_.With([&](StubMemory& stub) { stub.context["recent_observations"] = memories; });
  }
  Json Replay(int turn) {
    return Ask("GET", "/v1/injections/c1/" + std::to_string(turn) + "/replay").body;
  }
};

TEST_F(InjectionReplay, ThePresentRankerIsComparedWithTheRecord) {
  Rank({Memory(1, -3), Memory(2, -2, 4)});
  const std::string text = ContextOf(Prompt("what broke"));
  Rank({Memory(2, -5, 4), Memory(3, -1)});
  Prompt("another turn");
  Rank({Memory(2, -5, 4), Memory(3, -1)});
  const Json replay = Replay(1);
  ASSERT_EQ(replay["replays"].size(), 1u) << replay;
  const Json& one = replay["replays"][0];
  EXPECT_EQ(one["query"], "what broke");
  EXPECT_EQ(one["then"]["text"], text);
  EXPECT_EQ(one["then"]["items"][1]["revision"], "4");
  EXPECT_EQ(one["now"]["items"][0]["id"], 2);
  EXPECT_EQ(one["now"]["items"][0]["rank"], -5);
  EXPECT_NE(one["now"]["text"].get<std::string>().find("memory 2"), std::string::npos)
      << "the ledger is no part of a replay";
  EXPECT_EQ(one["only_then"], Json::array({1}));
  EXPECT_EQ(one["only_now"], Json::array({3}));
  EXPECT_EQ(one["same_order"], false);
  EXPECT_EQ(memory_.CountCalls("GET /context?project=coder&limit=5&sessions=4&query=what broke"),
            2u);
  EXPECT_EQ(Ask("GET", "/v1/injections/c1/1").body["injections"][0]["text"], text)
      << "a replay changes nothing";
  EXPECT_EQ(Ask("GET", "/conversations/current").body["turn"], 2);
}

TEST_F(InjectionReplay, TheSameRankerGivesTheSameText) {
  Rank({Memory(1, -3), Memory(2, -2)});
  const std::string text = ContextOf(Prompt("what broke"));
  const Json one = Replay(1)["replays"][0];
  EXPECT_EQ(one["now"]["text"], text);
  EXPECT_EQ(one["same_order"], true);
  EXPECT_EQ(one["only_then"], Json::array());
}

TEST_F(InjectionReplay, TheConversationsOwnSessionIsLeftOutAgain) {
  Rank({Memory(1, -3)});
  Prompt("what broke");
  const std::string own = Ask("GET", "/conversations/current").body["memory_session_id"];
  memory_.With([&](StubMemory& stub) {
    stub.context["recent_sessions"] = {{{"id", own}, {"summary", "what this talk says"}},
                                       {{"id", "m0"}, {"summary", "what an earlier one said"}}};
  });
  const std::string text = Replay(1)["replays"][0]["now"]["text"];
  EXPECT_EQ(text.find("what this talk says"), std::string::npos) << text;
  EXPECT_NE(text.find("what an earlier one said"), std::string::npos) << text;
}

TEST_F(InjectionReplay, ASearchBeforeAToolIsAskedAgainToo) {
  memory_.With([](StubMemory& stub) { stub.found = Json::array({Memory(9, -1)}); });
  Hook("PreToolUse",
       {{"tool_name", "Bash"}, {"tool_use_id", "t1"}, {"tool_input", {{"command", "make all"}}}});
  memory_.With([](StubMemory& stub) { stub.found = {Memory(10, -1), Memory(9, -1)}; });
  const Json one = Replay(0)["replays"][0];
  EXPECT_EQ(one["only_now"], Json::array({10}));
  EXPECT_EQ(one["now"]["text"], "");  // the policy does not inject it
  EXPECT_EQ(memory_.CountCalls("GET /search?q=make all&project=coder&limit=3"), 2u);
}

TEST_F(InjectionReplay, ATurnOfManyInjectionsComesInPages) {
  running_.reset();
  {
    auto state = State::Open(directory_.path() + "/state", [](const base::Error&) {});
    ASSERT_TRUE(state) << state.error().message;
    const auto filled = (*state)->Change([](sqlite::Database& db) -> base::Status {
      InjectionRecord record;
      record.conversation = "c1";
      record.turn = 1;
      record.items = Json::array();
      record.text = std::string(10'000, '\n');  // two bytes each as JSON
      for (int i = 0; i < 600; ++i) {
        record.query = std::to_string(i);
        RETURN_IF_ERROR(RecordInjection(db, record));
      }
      return {};
    });
    ASSERT_TRUE(filled) << filled.error().message;
  }
  Start();
  int found = 0;
  std::string target = "/v1/injections/c1/1";
  for (int pages = 0; pages < 2; ++pages) {
    const Json answer = Ask("GET", target).body;
    EXPECT_LE(answer.dump().size(), size_t{8} << 20);
    for (const Json& one : answer["injections"]) EXPECT_EQ(one["query"], std::to_string(found++));
    EXPECT_EQ(answer.contains("partial"), pages == 0);
    target = "/v1/injections/c1/1?cursor=" + answer.value("next_cursor", "");
  }
  EXPECT_EQ(found, 600);
  const Json replay = Ask("GET", "/v1/injections/c1/1/replay?limit=3").body;
  ASSERT_EQ(replay["replays"].size(), 3u);
  EXPECT_EQ(replay["partial"], true);
  const Json most = Ask("GET", "/v1/injections/c1/1/replay").body;
  EXPECT_EQ(most["replays"].size(), 100u) << "each asks the server";
  const Json rest = Ask("GET", "/v1/injections/c1/1/replay?limit=1&cursor=" +
                                   replay["next_cursor"].get<std::string>())
                        .body;
  EXPECT_EQ(rest["replays"][0]["query"], "3");
  EXPECT_EQ(Ask("GET", "/v1/injections/c1/1?cursor=x").status, 400);
  EXPECT_EQ(Ask("GET", "/v1/injections/c1/1/replay?limit=0").status, 400);
}

TEST_F(InjectionReplay, FailsOpenAndIsRefusedWhereSearchingIs) {
  Rank(Json::array({Memory(1, -3)}));
  Prompt("what broke");
  EXPECT_EQ(Ask("GET", "/v1/injections/c1/7/replay").status, 404);
  EXPECT_EQ(Ask("GET", "/v1/injections/c1/x/replay").status, 400);
  directory_.Write("policy.json", PolicyText(memory_.url(), {{"memory", {{"autoSearch", false}}}}));
  Start();
  EXPECT_EQ(Ask("GET", "/v1/injections/c1/1/replay").status, 403);
  EXPECT_EQ(Ask("GET", "/v1/injections/c1/1").status, 200);
  directory_.Write("policy.json", PolicyText(memory_.url()));
  Start();
  memory_.Down();
  const Json one = Replay(1)["replays"][0];
  EXPECT_NE(one["now"]["outcome"], "ok");
  EXPECT_EQ(one["only_then"], Json::array({1}));
}

}  // namespace
}  // namespace sidecar
