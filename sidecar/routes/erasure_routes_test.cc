// A text that was erased at the memory server leaves the sidecar's file too: what waits to be sent,
// messages, and what was made of them. The rest stays readable.
#include "sidecar/routes/erasure_routes.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "lib/base/process/file.h"
#include "sidecar/sidecar_fixture.h"

namespace sidecar {
namespace {

using base::Json;

constexpr const char* kSaid = "the vault opens with zyxwv42 on Tuesdays only";

class ErasureTest : public SidecarTest {
 protected:
  void Begin(bool allowed) {
    directory_.Write("policy.json",
                     PolicyText(memory_.url(), {{"memory", {{"rememberPrompts", true}}},
                                                {"toolHooks", {{"auditTools", {"bash"}}}}}));
    Start([&](SidecarSettings& settings) { settings.erase = allowed; });
  }
  Reply Erase() { return Ask("POST", "/v1/erase", {{"texts", {kSaid}}, {"titles", {"vault"}}}); }
  bool Holds(const std::string& word) {
    for (const auto& file : std::filesystem::directory_iterator(directory_.path() + "/state")) {
      const auto bytes = base::ReadFile(file.path().string(), 1 << 30);
      if (bytes && bytes->find(word) != std::string::npos) return true;
    }
    return false;
  }
};

TEST_F(ErasureTest, NoWordOfItStaysInTheFile) {
  Begin(true);
  memory_.With([](StubMemory& stub) {
    stub.found = Json::array({{{"id", 1},
                               {"type", "note"},
                               {"title", "vault"},
                               {"content", kSaid},
                               {"rank", -1},
                               {"trust", "user"}}});
    stub.context["recent_observations"] = stub.found;
    return 0;
  });
  memory_.Down();  // what is captured waits
  Prompt("Hello there, my friend.");
  Prompt(std::string("Remember: ") + kSaid);
  Bash(std::string("vault says \\\"") + kSaid + "\\\" and no more", "t1");
  Hook("Stop");
  Ask("POST", "/conversations/c1/messages",
      {{"messages",
        {{{"role", "assistant"},
          {"content", "calls"},
          {"tool_calls",
           {{{"id", "k1"},
             {"type", "function"},
             {"function",
              {{"name", "save"},
               {"arguments", base::DumpJson({{"text", kSaid}, {"also", "plain"}})}}}}}}}}}});
  Ask("PUT", "/working-memory/c1", {{"fields", {{"scratchpad", kSaid}, {"other", "stays"}}}});
  ASSERT_TRUE(Holds("zyxwv42"));
  const int64_t pending = Ask("GET", "/v1/status").body["pending"];
  const size_t messages = Messages().size();

  const Reply done = Erase();
  ASSERT_EQ(done.status, 200) << done.body;
  EXPECT_EQ(done.body["left"], Json::array()) << done.body;
  EXPECT_GE(done.body["erased"].value("messages", 0), 2) << done.body;
  EXPECT_GE(done.body["erased"].value("writes discarded", 0), 1) << done.body;
  EXPECT_FALSE(Holds("zyxwv42")) << done.body;
  EXPECT_LT(Ask("GET", "/v1/status").body["pending"], pending);
  const Json after = Messages();
  ASSERT_EQ(after.size(), messages) << "no row fails its checksum";
  EXPECT_NE(after.dump().find("Remember: [erased]"), std::string::npos) << after;
  EXPECT_NE(after.dump().find("Hello there, my friend."), std::string::npos);
  EXPECT_NE(after.dump().find("plain"), std::string::npos);
  EXPECT_EQ(Ask("GET", "/working-memory/c1").body["fields"],
            (Json{{"scratchpad", "[erased]"}, {"other", "stays"}}));
  EXPECT_EQ(Erase().body["erased"], Json::object()) << "nothing is left to be erased";
  memory_.Up();
  Hook("SessionEnd");
  EXPECT_TRUE(Drained());
  memory_.With([](StubMemory& stub) {
    for (const StubMemory::Call& call : stub.calls)
      EXPECT_EQ(call.body.find("zyxwv42"), std::string::npos) << call.target << call.body;
    return 0;
  });
}

TEST_F(ErasureTest, OnlyWhoMayErases) {
  Begin(false);
  Prompt(kSaid);
  EXPECT_EQ(Erase().status, 403);
  EXPECT_NE(Messages().dump().find("zyxwv42"), std::string::npos);
}

TEST_F(ErasureTest, BadBodiesChangeNothing) {
  Begin(true);
  Prompt(kSaid);
  for (const Json& body :
       {Json::array(), Json::object(), Json{{"texts", "one"}}, Json{{"texts", Json::array()}},
        Json{{"texts", {1}}}, Json{{"texts", std::vector<std::string>(201, "a b c d")}},
        Json{{"texts", {kSaid}}, {"titles", "one"}}, Json{{"texts", {kSaid}}, {"titles", {1}}}}) {
    EXPECT_EQ(Ask("POST", "/v1/erase", body).status, 400) << body;
  }
  EXPECT_NE(Messages().dump().find("zyxwv42"), std::string::npos);
}

}  // namespace
}  // namespace sidecar
