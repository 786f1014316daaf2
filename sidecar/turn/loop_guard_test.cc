// Shows that injected text is never captured again: in a thousand turns an agent repeats it in
// every shape of tool output, against a rule that matches its word.
#include <gtest/gtest.h>

#include "sidecar/sidecar_fixture.h"
#include "sidecar/text/tool_text.h"

namespace sidecar {
namespace {

using base::Json;

constexpr int kTurns = 1'000, kNewsEvery = 100;

// The injected text as the output of a tool.
Json Echo(const std::string& injected, int turn) {
  const std::string lead = "turn " + std::to_string(turn) + ":\n";
  const Json transcript = {{"role", "system"}, {"content", injected}};
  switch (turn % 6) {
    case 0:
      return {{"stdout", lead + injected + "\nend"}, {"stderr", ""}};
    case 1:
      return lead + transcript.dump();  // a transcript, read as a file
    case 2:
      return Json::array({{{"type", "text"}, {"text", lead + injected}}});
    case 3: {  // grep output: lines without their block
      std::string found = lead;
      for (const std::string& line : base::Split(injected, '\n')) {
        if (line.starts_with("- [id")) found += "log.txt:7:" + line + "\n";
      }
      return found;
    }
    case 4:
      return {{"file", {{"content", lead + injected.substr(0, injected.size() - 10)}}}};
    default:
      return {
          {"content", Json::array({{{"type", "text"}, {"text", Json(transcript.dump()).dump()}}})}};
  }
}

class LoopGuard : public SidecarTest {
 protected:
  // Makes the stub return the saved rows, the newest first, like a server without a query.
  void ServeWhatWasSaved() {
    memory_.With([](StubMemory& stub) {
      Json recalled = Json::array();
      for (size_t i = stub.observations.size(); i > 0 && recalled.size() < 5; --i) {
        Json row = stub.observations[i - 1];
        row.update({{"id", i}, {"rank", -1.0}, {"method", "fts5_bm25"}, {"trust", "rule"}});
        recalled.push_back(row);
      }
      stub.context["recent_observations"] = recalled;
    });
  }
};

TEST_F(LoopGuard, AThousandTurnsCaptureNothingAgain) {
  directory_.Write(
      "policy.json",
      PolicyText(
          memory_.url(),
          {{"memory", {{"reinject", "everyTurn"}}},
           {"toolHooks",
            {{"contextInjectTools", Json::array()},
             {"memorySaveRules", {{{"name", "all"}, {"tool", "*"}, {"matchOutput", "error"}}}}}}}));
  Start();
  size_t news = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    const std::string id = "t" + std::to_string(turn);
    if (turn % kNewsEvery == 0) {
      Hook("PostToolUse", {{"tool_name", "Bash"},
                           {"tool_use_id", "new-" + id},
                           {"tool_response", "error: number " + id + ";"}});
      ASSERT_TRUE(memory_.WaitForObservations(++news));
      ServeWhatWasSaved();
    }
    const std::string injected = ContextOf(Prompt("what was the error of " + id));
    ASSERT_NE(injected.find("error: number"), std::string::npos) << turn;
    const Reply shown = Hook("PostToolUse", {{"tool_name", turn % 7 == 0 ? "mem_search" : "Bash"},
                                             {"tool_use_id", id},
                                             {"tool_response", Echo(injected, turn)}});
    ASSERT_EQ(shown.status, 200);
  }
  ASSERT_TRUE(Drained());
  const auto saved = memory_.With([](StubMemory& stub) { return stub.observations; });
  EXPECT_EQ(saved.size(), news) << saved.back().dump();
  EXPECT_EQ(Ask("GET", "/v1/status").body["rules"][0]["matched"], news);
}

}  // namespace
}  // namespace sidecar
