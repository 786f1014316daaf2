// Shows how tools' names, arguments and results become text, in every recorded shape.
#include "sidecar/text/tool_text.h"

#include <gtest/gtest.h>

#include "lib/base/text/text.h"

namespace sidecar {
namespace {

using base::Json;

TEST(ToolMatches, NamesGlobsAndServersOfMcpTools) {
  struct Case {
    const char *pattern, *tool;
    bool matches;
  } cases[] = {
      {"bash", "bash", true},
      {"bash", "Bash", true},  // a rule for "bash" and Claude Code's tool
      {"bash", "BashOutput", false},
      {"bash*", "BashOutput", true},
      {"*", "anything", true},
      {"git_log", "mcp__git__git_log", true},
      {"mcp__git__git_log", "mcp__git__git_log", true},
      {"mcp__git__*", "mcp__git__git_log", true},
      {"mcp__git__*", "mcp__github__git_log", false},
      {"git_*", "mcp__git__git_log", true},
      {"log", "mcp__git__git_log", false},
      {"kubectl_apply", "mcp_kubernetes_kubectl_apply", true},
      {"apply", "mcp_kubernetes_kubectl_apply", false},
      {"kubectl_?pply", "kubectl_apply", true},
      {"", "bash", false},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(ToolMatches(c.pattern, c.tool), c.matches) << c.pattern << " on " << c.tool;
  }
}

TEST(IsOwnTool, MatchesMemoryToolsOfAnyServer) {
  for (const char* tool :
       {"mem_save", "mcp__memory__mem_search", "mcp_memory_mem_context", "recall"}) {
    EXPECT_TRUE(IsOwnTool(tool)) << tool;
  }
  for (const char* tool : {"memory", "bash", "mcp__git__recall_commits"}) {
    EXPECT_FALSE(IsOwnTool(tool)) << tool;
  }
}

TEST(ReadOutput, ReadsEveryShapeOfResult) {
  struct Case {
    Json response;
    const char* text;
  } cases[] = {
      {"plain", "plain"},
      {nullptr, ""},
      {Json{{"stdout", "out"}, {"stderr", "err"}, {"interrupted", false}}, "out\nerr"},
      {Json{{"stdout", ""}, {"stderr", "err"}}, "err"},
      {Json{{"type", "text"}, {"file", {{"filePath", "a"}, {"content", "body"}}}}, "body"},
      {Json{{"type", "create"}, {"content", "new"}, {"originalFile", "old error"}}, "new"},
      {Json::array({{{"type", "text"}, {"text", "a"}}, {{"type", "text"}, {"text", "b"}}}), "a\nb"},
      {Json::array({{{"type", "image"}, {"data", "AAAA"}}, "tail"}), "tail"},
      {Json::array({{{"type", "resource"}, {"resource", {{"text", "r"}}}}}), "r"},
      {Json{{"content", Json::array({{{"type", "text"}, {"text", "mcp"}}})}}, "mcp"},
      {Json{{"status", 500}, {"flag", true}}, R"({"flag":true,"status":500})"},
      {Json{{"content", Json::array()}, {"structuredContent", {{"a", 1}}}}, R"({"a":1})"},
      {42, "42"},
  };
  for (const Case& c : cases) {
    api::HookEvent event;
    event.tool_response = c.response;
    EXPECT_EQ(ReadOutput(event).text, c.text) << c.response.dump();
  }
  api::HookEvent failed;
  failed.error = "Exit code 3\nboom";
  EXPECT_EQ(ReadOutput(failed).text, "Exit code 3\nboom");
}

TEST(ArgumentTexts, HasTextsOfAnyDepthAndType) {
  const Json arguments = {{"command", "apply -f x"},
                          {"count", 7},
                          {"dry", true},
                          {"options", {{"mode", "fast"}, {"list", {1, "two"}}}},
                          {"a.b", "dotted key"}};
  EXPECT_EQ(ArgumentTexts(arguments, "count"), std::vector<std::string>{"7"});
  EXPECT_EQ(ArgumentTexts(arguments, "dry"), std::vector<std::string>{"true"});
  EXPECT_EQ(ArgumentTexts(arguments, "mode"), std::vector<std::string>{"fast"});
  EXPECT_EQ(ArgumentTexts(arguments, "options.mode"), std::vector<std::string>{"fast"});
  EXPECT_EQ(ArgumentTexts(arguments, "a.b"), std::vector<std::string>{"dotted key"});
  EXPECT_EQ(ArgumentTexts(arguments, "list"),
            (std::vector<std::string>{"1", "two", R"([1,"two"])"}));
  EXPECT_TRUE(ArgumentTexts(arguments, "none").empty());
}

TEST(Arguments, ReadsObjectsAndTheirJsonText) {
  EXPECT_EQ(Arguments(R"({"command": "ls"})"), (Json{{"command", "ls"}}));
  EXPECT_EQ(Arguments("ls"), Json::object());
  EXPECT_EQ(Arguments(nullptr), Json::object());
}

TEST(MainArgument, NamesTheObjectOfTheCall) {
  EXPECT_EQ(MainArgument({{"description", "d"}, {"command", "make test"}}), "make test");
  EXPECT_EQ(MainArgument({{"file_path", "/a/b"}, {"content", "x"}}), "/a/b");
  EXPECT_EQ(MainArgument({{"b", "two"}, {"a", "one"}, {"n", 3}}), "one\ntwo");
  EXPECT_EQ(MainArgument(Json::object()), "");
}

TEST(ShortenStrings, KeepsHeadAndTailOnCharacterBorders) {
  std::string text = "HEAD";
  while (text.size() < 400'000) text += "日本";
  text += "TAIL";
  Json value = {{"deep", {text, "short"}}};
  ShortenStrings(value);
  const std::string kept = value["deep"][0];
  EXPECT_LT(kept.size(), 2 * kKeptHalfBytes + 100);
  EXPECT_TRUE(base::IsUtf8(kept));
  EXPECT_TRUE(kept.starts_with("HEAD"));
  EXPECT_TRUE(kept.ends_with("TAIL"));
  EXPECT_NE(kept.find("bytes left out"), std::string::npos);
  EXPECT_EQ(value["deep"][1], "short");
}

TEST(WithoutInjected, RemovesBlocksEvenUnclosed) {
  EXPECT_EQ(WithoutInjected("a<memory:context>\nerror\n</memory:context>b"
                            "<memory:sessions>panic</memory:sessions>c"),
            "abc");
  EXPECT_EQ(WithoutInjected("a<memory:context>error"), "a");
  EXPECT_EQ(WithoutInjected("nothing here"), "nothing here");
}

// An unclosed block hides only its line and the following lines that look like ours.
TEST(WithoutInjected, UnclosedBlockHidesNothingElse) {
  EXPECT_EQ(WithoutInjected("a<memory:context> x\n- [id 1] b\nsource c\npanic: d\n- e"),
            "a\npanic: d\n- e");
  EXPECT_EQ(WithoutInjected("<memory:task>\n[CONTEXT BLOCKS]\nBlocks from prior interactions (use "
                            "recall tool to get full details):\n#12: panic: a\n#a: panic: b"),
            "\n#a: panic: b");
  EXPECT_EQ(
      WithoutInjected("<memory:context>\npanic: a\n<memory:context>\n- b\n</memory:context>\nc"),
      "\npanic: a\n\nc");
  EXPECT_EQ(WithoutInjected("<memory:context>\npanic: a\n<memory:sessions>\n- b\n</memory:context>"
                            "\npanic: c"),
            "\npanic: c");
}

TEST(WithoutInjected, RemovesSingleItems) {
  EXPECT_EQ(
      WithoutInjected("log.txt:7:- [id 7; type bugfix; source bash; trust rule] a — error\nb"),
      "log.txt:7:\nb");
  for (const char* text : {"- [id 7] a list", "- [id x; type y; trust z] b",
                           "- [id 7; type a\n; trust b", "- [id ", "- [id 12"}) {
    EXPECT_EQ(WithoutInjected(text), text);
  }
}

// With quadratic work texts of this size would take hours.
TEST(WithoutInjected, RemovesManyItemsBlocksAndHeads) {
  constexpr int kCount = 200'000;
  std::string items, rest, blocks, heads;
  for (int i = 0; i < kCount; ++i) {
    items += "f:- [id 7; type bugfix; source bash; trust rule] a — b\n";
    rest += "f:\n";
    blocks += "<memory:context>x</memory:context>y";
    heads += "- [id 7; type ";
  }
  EXPECT_EQ(WithoutInjected(items), rest);
  EXPECT_EQ(WithoutInjected(blocks), std::string(kCount, 'y'));
  EXPECT_EQ(WithoutInjected(heads), heads);
  std::string opens, lines;
  for (int i = 0; i < kCount; ++i) {
    opens += "<memory:context>x\ny\n";
    lines += "\ny\n";
  }
  EXPECT_EQ(WithoutInjected(opens), lines);
  lines.erase(lines.size() - 3);
  EXPECT_EQ(WithoutInjected(opens + "</memory:context>"), lines);
  EXPECT_EQ(WithoutInjected("a" + heads + "; trust x] y\nb"), "a\nb");
}

}  // namespace
}  // namespace sidecar
