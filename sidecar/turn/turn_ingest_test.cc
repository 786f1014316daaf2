// Shows the turns that go to the extraction of facts: prompt and answer once, redacted, after the
// hook's answer, and only if the policy enables it.
#include "sidecar/turn/turn_ingest.h"

#include <gtest/gtest.h>

#include "sidecar/sidecar_fixture.h"

namespace sidecar {
namespace {

using base::Json;

constexpr const char* kSecret =
    "gh"
    "p_abcdefghijklmnopqrstuvwxyz0123456789";

class TurnIngestTest : public SidecarTest {
 protected:
  void Ingest(
      Json more = Json::object(),
      std::function<void(SidecarSettings&)> change = [](SidecarSettings&) {}) {
    Json memory = {{"autoIngest", {{"importanceThreshold", 0.5}}},
                   {"personality", {{"openness", 0.7}}},
                   {"user", "ana"}};
    memory.update(more);
    directory_.Write("policy.json", PolicyText(memory_.url(), {{"memory", memory}}));
    Start(change);
  }
  Reply Answered(const std::string& words, Json more = Json::object()) {
    more["last_assistant_message"] = words;
    return Hook("Stop", more);
  }
  std::vector<Json> Turns(size_t count) {
    EXPECT_TRUE(memory_.Wait([&](StubMemory& stub) { return stub.turns.size() >= count; }));
    EXPECT_TRUE(Drained());
    return memory_.With([](StubMemory& stub) { return stub.turns; });
  }
};

TEST_F(TurnIngestTest, ATurnGoesToTheServerInTheContextOfThePolicy) {
  Ingest();
  Prompt("I prefer tea over coffee.");
  Bash("nothing", "1");
  EXPECT_EQ(Answered("Noted: tea.").status, 200);
  const auto turns = Turns(1);
  ASSERT_EQ(turns.size(), 1u);
  EXPECT_EQ(turns[0]["user"], "I prefer tea over coffee.");
  EXPECT_EQ(turns[0]["assistant"], "Noted: tea.");
  EXPECT_EQ(turns[0]["conversation"], "c1");
  EXPECT_EQ(turns[0]["project"], "coder");
  EXPECT_EQ(turns[0]["source"], Json({{"origin", "rule"}, {"rule", "autoIngest"}}));
  EXPECT_EQ(turns[0]["settings"], Json::parse(R"({"importanceThreshold": 0.5, "maxPerTurn": 3,
                                                  "personality": {"openness": 0.7}})"));
  memory_.With([](StubMemory& stub) {
    const auto call = std::ranges::find(stub.calls, "/ingest/turns", &StubMemory::Call::target);
    ASSERT_NE(call, stub.calls.end());
    EXPECT_EQ(call->user + " " + call->agent, "ana coder");
    EXPECT_FALSE(call->key.empty());
  });
}

TEST_F(TurnIngestTest, NothingGoesWithoutThePolicyWithoutAPromptOrWithoutAnAnswer) {
  Ingest({{"autoIngest", nullptr}});
  Prompt("I prefer tea.");
  Answered("Noted.");
  Ingest({{"autoIngest", {{"enabled", false}}}});
  Prompt("I prefer tea.");
  Answered("Noted.");
  Ingest();
  Hook("Stop", {{"last_assistant_message", "Said by itself."}}, "c2");
  Prompt("I prefer tea.", "c3");
  Hook("Stop", Json::object(), "c3");
  EXPECT_TRUE(Drained());
  EXPECT_EQ(memory_.CountCalls("POST /ingest"), 0u);
}

TEST_F(TurnIngestTest, ARepeatedStopIsOneTurnAndALaterAnswerAnother) {
  Ingest();
  Prompt("I prefer tea.");
  Answered("Noted.");
  Answered("Noted.");
  Answered("Noted, and written down.");
  Prompt("I prefer tea.");
  Answered("Noted.");
  const auto turns = Turns(3);
  EXPECT_EQ(turns.size(), 3u);
}

TEST_F(TurnIngestTest, SecretsAndInjectedMemoryStayHere) {
  for (const bool working_memory : {true, false}) {
    memory_.With([](StubMemory& stub) { stub.turns.clear(); });
    Ingest({{"redaction", {{"workingMemory", working_memory}}}});
    const std::string conversation = working_memory ? "c4" : "c5";
    Prompt(std::string("My token is ") + kSecret +
               ".\n<memory:context>\n- [id 7] old\n</memory:context>\nUse tea.",
           conversation);
    Hook("Stop", {{"last_assistant_message", std::string("Kept ") + kSecret}}, conversation);
    const auto turns = Turns(1);
    ASSERT_EQ(turns.size(), 1u);
    EXPECT_EQ(turns[0].dump().find("ghp_"), std::string::npos) << turns[0];
    EXPECT_EQ(turns[0].dump().find("memory:context"), std::string::npos) << turns[0];
    EXPECT_NE(turns[0]["user"].get<std::string>().find("Use tea."), std::string::npos);
  }
}

TEST_F(TurnIngestTest, LongTextsAreCutToWhatTheServerTakes) {
  Ingest();
  std::string words;
  while (words.size() <= kMostIngestedBytes) words += "wörter ";
  Prompt(words);
  Answered(words);
  const Json turn = Turns(1).at(0);
  for (const char* text : {"user", "assistant"}) {
    EXPECT_LE(turn[text].get<std::string>().size(), kMostIngestedBytes);
    EXPECT_TRUE(words.starts_with(turn[text].get<std::string>()));
  }
}

TEST_F(TurnIngestTest, AFullOutboxCostsTheExtractionAndNotTheTurn) {
  memory_.Down();
  Ingest(Json::object(), [](SidecarSettings& settings) { settings.outbox.rows = 2; });
  Prompt("I prefer tea.");
  EXPECT_EQ(Answered("Noted.").status, 200);
  Prompt("I prefer coffee.");
  EXPECT_EQ(Answered("Noted, too.").status, 200);
  EXPECT_EQ(Messages().size(), 4u);
  memory_.Up();
  EXPECT_EQ(Turns(1).size(), 1u);
}

TEST_F(TurnIngestTest, AServerThatIsAwayGetsTheTurnWhenItIsBackAndOnce) {
  memory_.Down();
  Ingest();
  Prompt("I prefer tea.");
  EXPECT_EQ(Answered("Noted.").status, 200);
  memory_.Up();
  EXPECT_EQ(Turns(1).size(), 1u);
}

}  // namespace
}  // namespace sidecar
