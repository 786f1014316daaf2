// Settings of agents: setup adds its entries beside the user's, and undo removes them completely.
#include "client/agents/settings.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "client/agents/toml_text.h"

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

TEST(AgentSettings, APermissionStandsBesideOthersAndGoesAgain) {
  for (const char* text :
       {"{}", R"j({"permissions": {"allow": ["Bash(ls)"], "deny": ["WebFetch"]}})j",
        R"({"permissions": {"allow": []}, "a": 1})"}) {
    const Settings before = Parse(text);
    Settings settings = before;
    ASSERT_TRUE(AddPermission(settings, "mcp__memory")) << text;
    EXPECT_EQ(settings["permissions"]["allow"].back(), "mcp__memory");
    const Settings once = settings;
    ASSERT_TRUE(AddPermission(settings, "mcp__memory"));
    EXPECT_EQ(settings, once) << "twice is once";
    RemovePermission(settings, "mcp__memory");
    EXPECT_EQ(settings.value("/permissions/allow"_json_pointer, Settings::array()),
              before.value("/permissions/allow"_json_pointer, Settings::array()))
        << text;
  }
  for (const char* list : {"allow", "ask", "deny"}) {
    const Settings decided = {{"permissions", {{list, {"mcp__memory"}}}}};
    Settings settings = decided;
    ASSERT_TRUE(AddPermission(settings, "mcp__memory"));
    EXPECT_EQ(settings, decided) << "a person decided: " << list;
  }
  for (const char* text : {R"({"permissions": []})", R"({"permissions": {"allow": {}}})"}) {
    Settings settings = Parse(text);
    EXPECT_FALSE(AddPermission(settings, "mcp__memory")) << text;
  }
}

TEST(AgentSettings, ThePermissionNamesTheServerThatIsAdded) {
  for (const char* text :
       {"{}", R"({"mcpServers": {"memory": {"command": "npx"}}})",
        R"({"mcpServers": {"agent-memory": {"command": "/bin/agent-memory", "args": ["mcp"]}}})",
        R"({"mcpServers": {"agent-memory": {"command": "/old/agent-memory", "args": ["mcp"]}}})",
        R"({"mcpServers": {"memory": {"command": "/old/agent-memory", "args": ["mcp"]}}})"}) {
    Settings settings = Parse(text);
    const std::string name = ServerName(settings, "/bin/agent-memory");
    ASSERT_TRUE(AddServer(settings, "/bin/agent-memory"));
    EXPECT_EQ(settings["mcpServers"][name]["command"], "/bin/agent-memory") << text;
  }
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
  for (const std::string before :
       {"", "model = \"x\"\n", "a = 1\r\nb = 2\r\n",
        "\xEF\xBB\xBF"
        "a = 1\n",
        "[mcp_servers]\n", "[mcp_servers.other]\ncommand = 'x'\n",
        "mcp_servers.other = {command = \"x\"}\n", "mcp_servers = {}\n",
        "mcp_servers = { other = {command = 'x'} } # mine\n",
        "text = \"\"\"\n[mcp_servers.memory]\n\"\"\"\n", "text = '''\n[mcp_servers.memory]'''\n",
        "# [mcp_servers.memory]\n",
        "list = [\n  [1, 2], # one ]\n  {a = '}'},\n]\n[[profiles]]\nname = 'a'\n"}) {
    const auto with = WithServerBlock(before, "/bin/agent-memory");
    ASSERT_TRUE(with) << before << with.error().message;
    EXPECT_NE(with->find("command = \"/bin/agent-memory\""), std::string::npos);
    const auto again = WithServerBlock(*with, "/bin/agent-memory");
    ASSERT_TRUE(again) << *with << again.error().message;
    EXPECT_EQ(*again, *with);
    EXPECT_EQ(*WithoutServerBlock(*with), before);
    const auto keys = KeysOf(*with);
    ASSERT_TRUE(keys) << *with;
    const std::vector<std::string> ours = {"mcp_servers", "memory", "command"};
    EXPECT_EQ(std::count_if(keys->begin(), keys->end(),
                            [&](const TomlKey& key) { return key.path == ours; }),
              1)
        << *with;
  }
}

TEST(AgentSettings, ATakenNameOfTomlStaysInEachForm) {
  for (const std::string before :
       {"[mcp_servers.memory]\ncommand = \"x\"\n", "[mcp_servers.\"memory\"]\n",
        "[mcp_servers.'memory']\n", "[ mcp_servers . memory ]\n",
        "mcp_servers.memory = {command = 'x'}\n", "mcp_servers = {memory = {command = 'x'}}\n",
        "[mcp_servers]\nmemory = {command = 'x'}\n", "[mcp_servers]\nmemory.command = 'x'\n"}) {
    const auto with = WithServerBlock(before, "/bin/agent-memory");
    ASSERT_TRUE(with) << before << with.error().message;
    const auto keys = KeysOf(*with);
    ASSERT_TRUE(keys) << *with;
    EXPECT_TRUE(std::any_of(keys->begin(), keys->end(), [](const TomlKey& key) {
      return key.path.size() > 1 && key.path[1] == "agent-memory";
    })) << *with;
    EXPECT_EQ(*WithoutServerBlock(*with), before);
  }
}

TEST(AgentSettings, TomlThatIsNoneIsRefusedWithItsLine) {
  for (const auto& [text, words] :
       std::vector<std::pair<std::string, std::string>>{{"a = 1\nb = \n", "line 2"},
                                                        {"a = \"x\n", "line 1"},
                                                        {"[a\n", "line 1"},
                                                        {"a = [1, 2\n", "']'"},
                                                        {"a = {b = 1\n", "'}'"},
                                                        {"mcp_servers = 3\n", "no table"},
                                                        {"[[mcp_servers]]\nname = 'x'\n", "list"},
                                                        {"a b = 1\n", "'='"},
                                                        {"a = '''x\n", "string"}}) {
    const auto with = WithServerBlock(text, "/bin/agent-memory");
    ASSERT_FALSE(with) << text;
    EXPECT_NE(with.error().message.find(words), std::string::npos) << with.error().message;
  }
}

// setup and --undo of a JSON file, as edits.cc makes them.
std::string WithAll(const std::string& text) {
  auto before = ReadSettings(text);
  EXPECT_TRUE(before) << text << before.error().message;
  Settings after = *before;
  EXPECT_TRUE(AddHooks(after, "/bin/agent-memory", kEvents));
  EXPECT_TRUE(AddServer(after, "/bin/agent-memory"));
  const std::string with = WithChanges(text, *before, after);
  auto read = ReadSettings(with);
  EXPECT_TRUE(read) << with;
  if (read) EXPECT_EQ(*read, after) << with;
  return with;
}

std::string WithoutAll(const std::string& text) {
  auto before = ReadSettings(text);
  EXPECT_TRUE(before) << text;
  Settings after = *before;
  RemoveHooks(after);
  RemoveServer(after);
  const std::string without = WithChanges(text, *before, after);
  auto read = ReadSettings(without);
  EXPECT_TRUE(read) << without;
  if (read) EXPECT_EQ(*read, after) << without;
  return without;
}

TEST(JsonText, CommentsOrderIndentationAndLineEndsStay) {
  for (const std::string before :
       {"{\n  // mine\n  \"model\": \"x\", // why\n  \"b\": [1,2,3]\n}\n",
        "{\r\n    \"a\": 1,\r\n    \"b\": {}\r\n}\r\n", "\xEF\xBB\xBF{\"a\": 1}",
        "{\n\t\"mcpServers\": {\n\t\t\"other\": {\"command\": \"x\"}\n\t}\n}",
        "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[{\"command\":\"./l\"}]}]}}",
        "{\n  \"a\": [1, 2,], /* last, */\n  \"z\": {\"deep\": \"\\\"} // no comment\"},\n}\n",
        "{ \"a\": 1 , \"b\" : 2 }",
        "{\n  \"hooks\": {\n    \"Stop\": [1 ] // one, yet\n  }, // end\n  \"u\": "
        "\"\\u00e9ü\"\n}\n"}) {
    const std::string with = WithAll(before);
    EXPECT_EQ(WithAll(with), with) << "twice is once";
    for (const char* part :
         {"// mine", "// why", "[1,2,3]", "/* last, */", "[1, 2,]", "// one, yet", "// end",
          "\\u00e9ü", "\xEF\xBB\xBF", "\t\"mcpServers\"", "\"b\" : 2",
          "[{\"matcher\":\"Bash\",\"hooks\":[{\"command\":\"./l\"}]}"})
      EXPECT_EQ(with.find(part) == std::string::npos, before.find(part) == std::string::npos)
          << part << "\n"
          << with;
    const bool windows = before.find("\r\n") != std::string::npos;
    for (size_t at = with.find('\n'); at != std::string::npos; at = with.find('\n', at + 1))
      EXPECT_EQ(with[at - 1] == '\r', windows) << with;
    auto first = ReadSettings(before), last = ReadSettings(WithoutAll(with));
    ASSERT_TRUE(first && last);
    EXPECT_EQ(*last, *first);
  }
}

TEST(JsonText, MembersGoWithTheirCommas) {
  const std::string text = "{\n  \"a\": 1,\n  \"b\": 2, // two\n  \"c\": 3\n}\n";
  const Settings before = *ReadSettings(text);
  for (int mask = 1; mask < 8; ++mask) {
    Settings after = before;
    for (int bit = 0; bit < 3; ++bit)
      if (mask >> bit & 1) after.erase(std::string(1, static_cast<char>('a' + bit)));
    const std::string changed = WithChanges(text, before, after);
    const auto read = ReadSettings(changed);
    ASSERT_TRUE(read) << changed;
    EXPECT_EQ(*read, after) << changed;
    after["d"] = 4;
    const auto added = ReadSettings(WithChanges(text, before, after));
    ASSERT_TRUE(added) << mask;
    EXPECT_EQ(*added, after);
  }
}

TEST(JsonText, WhatIsNoneIsRefused) {
  for (const char* text : {"{\n  \"a\": \n}", "{\"a\" 1}", "{", "{\"a\": 1} x", "{'a': 1}",
                           "{\"a\": 1, \"a\": 2}", "{\"a\": 1,, \"b\": 2}"})
    EXPECT_FALSE(ReadSettings(text)) << text;
  EXPECT_TRUE(ReadSettings("")->empty());
  EXPECT_TRUE(ReadSettings(" \n// nothing\n")->empty());
}

}  // namespace
}  // namespace client
