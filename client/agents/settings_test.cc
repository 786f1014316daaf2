// Settings of agents: setup adds its entries beside the user's, and undo removes them completely.
#include "client/agents/settings.h"

#include <gtest/gtest.h>

namespace client {
namespace {

const std::vector<std::string> kEvents = {"SessionStart", "PreToolUse"};

Settings Parse(const char* text) { return Settings::parse(text); }

TEST(AgentSettings, HooksStandBesideWhatIsThereAndGoAgain) {
  const Settings before = Parse(R"({"model": "x", "hooks": {"PreToolUse": [{"matcher": "Bash",
      "hooks": [{"type": "command", "command": "./lint"}]}], "Stop": []}, "a": 1})");
  Settings settings = before;
  ASSERT_TRUE(AddHooks(settings, "/opt/it's/agent-memory", kEvents));
  EXPECT_EQ(settings["hooks"]["PreToolUse"].size(), 2U);
  EXPECT_EQ(settings["hooks"]["PreToolUse"][0], before["hooks"]["PreToolUse"][0]);
  EXPECT_EQ(settings["hooks"]["PreToolUse"][1]["hooks"][0]["command"],
            "'/opt/it'\\''s/agent-memory' hook PreToolUse");
  EXPECT_EQ(settings.begin().key(), "model") << "the user's order of keys";
  const Settings once = settings;
  ASSERT_TRUE(AddHooks(settings, "/opt/it's/agent-memory", kEvents));
  EXPECT_EQ(settings, once) << "twice is once";
  RemoveHooks(settings);
  EXPECT_EQ(settings, before);
}

TEST(AgentSettings, AnEntryThatHoldsOthersHooksTooKeepsThem) {
  Settings settings = Settings::object();
  ASSERT_TRUE(AddHooks(settings, "/bin/agent-memory", {"Stop"}));
  settings["hooks"]["Stop"][0]["hooks"].push_back({{"type", "command"}, {"command", "mine"}});
  RemoveHooks(settings);
  EXPECT_EQ(settings["hooks"]["Stop"][0]["hooks"].size(), 1U);
}

TEST(AgentSettings, WhatIsAsItShouldBeStaysAsItIs) {
  Settings settings = Settings::object();
  ASSERT_TRUE(AddHooks(settings, "/bin/agent-memory", {"Stop"}));
  ASSERT_TRUE(AddServer(settings, "/bin/agent-memory"));
  settings["hooks"]["Stop"].push_back(Parse(R"({"hooks": [{"command": "mine"}]})"));
  settings["mcpServers"]["memory"]["type"] = "stdio";
  settings["mcpServers"]["other"] = Settings::object();
  const Settings before = settings;
  ASSERT_TRUE(AddHooks(settings, "/bin/agent-memory", {"Stop"}));
  ASSERT_TRUE(AddServer(settings, "/bin/agent-memory"));
  EXPECT_EQ(settings, before) << settings.dump();
  ASSERT_TRUE(AddHooks(settings, "/usr/bin/agent-memory", {"Stop"}));
  ASSERT_TRUE(AddServer(settings, "/usr/bin/agent-memory"));
  EXPECT_EQ(settings.dump().find("/bin/agent-memory' hook"),
            settings.dump().find("/usr/bin/agent-memory' hook") + 4)
      << "the one of another place is gone";
  EXPECT_EQ(settings["hooks"]["Stop"].size(), 2U);
  EXPECT_EQ(settings["mcpServers"].size(), 2U);
}

TEST(AgentSettings, OfNothingNothingIsLeft) {
  Settings settings = Settings::object();
  ASSERT_TRUE(AddHooks(settings, "/bin/agent-memory", kEvents));
  ASSERT_TRUE(AddServer(settings, "/bin/agent-memory"));
  RemoveHooks(settings);
  RemoveServer(settings);
  EXPECT_TRUE(settings.empty()) << settings.dump();
}

TEST(AgentSettings, AnotherServerOfThatNameStays) {
  const Settings before = Parse(R"({"mcpServers": {"memory": {"command": "npx", "args": ["m"]}}})");
  Settings settings = before;
  ASSERT_TRUE(AddServer(settings, "/bin/agent-memory"));
  EXPECT_EQ(settings["mcpServers"]["memory"], before["mcpServers"]["memory"]);
  EXPECT_EQ(settings["mcpServers"]["agent-memory"]["command"], "/bin/agent-memory");
  RemoveServer(settings);
  EXPECT_EQ(settings, before);
}

TEST(AgentSettings, WhatHasAnotherShapeIsRefused) {
  for (const char* text : {"[]", R"({"hooks": []})", R"({"hooks": {"Stop": {}}})"}) {
    Settings settings = Parse(text);
    EXPECT_FALSE(AddHooks(settings, "/bin/agent-memory", {"Stop"})) << text;
  }
  Settings settings = Parse(R"({"mcpServers": 3})");
  EXPECT_FALSE(AddServer(settings, "/bin/agent-memory"));
}

TEST(AgentSettings, ABlockOfTomlGoesAsItCame) {
  for (const std::string before : {"", "model = \"x\"\n"}) {
    const auto with = WithServerBlock(before, "/bin/agent-memory");
    ASSERT_TRUE(with);
    EXPECT_NE(with->find("command = \"/bin/agent-memory\""), std::string::npos);
    EXPECT_EQ(*WithServerBlock(*with, "/bin/agent-memory"), *with);
    EXPECT_EQ(WithoutServerBlock(*with), before);
  }
  EXPECT_FALSE(WithServerBlock("[mcp_servers.memory]\ncommand = \"x\"\n", "/bin/agent-memory"));
}

}  // namespace
}  // namespace client
