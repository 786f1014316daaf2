// Lines of Claude Code and Codex, of several versions, and the events that they give.
#include <gtest/gtest.h>

#include "sidecar/replay/transcript_events.h"

namespace sidecar {
namespace {

using base::Json;

// "UserPromptSubmit:a" and the like, one an event.
std::vector<std::string> EventsOf(TranscriptFormat& format, const std::vector<std::string>& lines) {
  std::vector<std::string> events;
  const auto add = [&](const std::vector<PastEvent>& made) {
    for (const PastEvent& past : made) {
      const api::HookEvent& event = past.event;
      events.push_back(event.name + ":" + event.prompt + event.last_assistant_message +
                       event.tool_name + (event.error.empty() ? "" : "!" + event.error));
    }
  };
  for (const std::string& line : lines) {
    auto json = base::ParseJson(line);
    EXPECT_TRUE(json) << line;
    if (json) add(format.ReadLine(std::move(*json)));
  }
  add(format.Finish());
  return events;
}

using Strings = std::vector<std::string>;
struct Case {
  const char* what;
  Strings lines, events;
};

std::string User(const std::string& content, const std::string& more = "") {
  return R"({"type":"user","message":{"role":"user","content":)" + content + "}" + more + "}";
}
std::string Assistant(const std::string& blocks, const std::string& more = "") {
  return R"({"type":"assistant","message":{"id":"m1","role":"assistant","content":[)" + blocks +
         "]}" + more + "}";
}
const char* const kCall = R"({"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}})";
std::string ResultOf(const std::string& content, bool error = false) {
  return User(R"([{"type":"tool_result","tool_use_id":"t1","content":)" + content +
              (error ? R"(,"is_error":true}])" : "}]"));
}

TEST(ClaudeFormat, LinesBecomeHookEvents) {
  const std::string said = R"({"type":"text","text":"Done."})";
  const Case table[] = {
      {"a turn", {User(R"("a")"), Assistant(said)}, {"UserPromptSubmit:a", "Stop:Done."}},
      {"text blocks and an image",
       {User(
           R"([{"type":"text","text":"a"},{"type":"image","source":{}},{"type":"text","text":"b"}])")},
       {"UserPromptSubmit:a\nb"}},
      {"a call",
       {User(R"("a")"), Assistant(kCall), ResultOf(R"("x")"), Assistant(said)},
       {"UserPromptSubmit:a", "PostToolUse:Bash", "Stop:Done."}},
      {"a call that failed",
       {Assistant(kCall), ResultOf(R"("Exit code 3\nboom")", true)},
       {"PostToolUseFailure:Bash!Exit code 3\nboom"}},
      {"a call that the person refused",
       {Assistant(kCall),
        ResultOf(R"("The user doesn't want to proceed with this tool use.")", true)},
       {}},
      {"a call with wrong arguments",
       {Assistant(kCall), ResultOf(R"("<tool_use_error>InputValidationError")", true)},
       {}},
      {"a call without a result, with text before it", {Assistant(said + "," + kCall)}, {}},
      {"a result without its call", {ResultOf(R"("x")")}, {}},
      {"a result of blocks",
       {Assistant(kCall), ResultOf(R"([{"type":"text","text":"x"},{"type":"image"}])")},
       {"PostToolUse:Bash"}},
      {"two blocks of a last message",
       {Assistant(said), Assistant(R"({"type":"text","text":"All."})")},
       {"Stop:Done.\nAll."}},
      {"an interrupted answer", {Assistant(said), User(R"("[Request interrupted by user]")")}, {}},
      {"meta lines", {User(R"("a")", R"(,"isMeta":true)")}, {}},
      {"a summary", {User(R"("a")", R"(,"isCompactSummary":true)")}, {}},
      {"a sub-agent",
       {User(R"("a")", R"(,"isSidechain":true)"), Assistant(said, R"(,"isSidechain":true)"),
        Assistant(kCall, R"(,"isSidechain":true)"), ResultOf(R"("x")")},
       {"PostToolUse:Bash"}},
      {"an error of the API", {Assistant(said, R"(,"isApiErrorMessage":true)")}, {}},
      {"a prompt that waited",
       {R"({"type":"attachment","attachment":{"type":"queued_command","prompt":"later","commandMode":"prompt"}})"},
       {"UserPromptSubmit:later"}},
      {"a notification that waited",
       {R"({"type":"attachment","attachment":{"type":"queued_command","prompt":"x","commandMode":"task-notification"}})"},
       {}},
      {"bookkeeping",
       {R"({"type":"summary","summary":"a"})", R"({"type":"system","subtype":"compact_boundary"})",
        R"({"type":"file-history-snapshot"})", R"({"type":"progress"})", R"({"type":"new-kind"})",
        R"({"type":"last-prompt","lastPrompt":"a"})"},
       {}},
      {"odd lines",
       {R"({})", R"({"type":7})", R"({"type":"user"})", R"({"type":"user","message":"a"})",
        R"({"type":"user","message":{"content":7}})",
        R"({"type":"user","message":{"content":[7,"a",null,{"type":7},{"type":"tool_result"}]}})",
        R"({"type":"assistant","message":{"content":[7,{"type":"tool_use"}]}})",
        R"({"type":"attachment","attachment":7})"},
       {}}};
  for (const Case& one : table)
    EXPECT_EQ(EventsOf(*ClaudeFormat(), one.lines), one.events) << one.what;
}

TEST(ClaudeFormat, ResultBelongsToItsTool) {
  const auto format = ClaudeFormat();
  ASSERT_TRUE(format->ReadLine(*base::ParseJson(Assistant(kCall))).empty());
  const auto events = format->ReadLine(*base::ParseJson(
      R"({"type":"user","timestamp":"2026-03-02T09:00:00.250Z","toolUseResult":{"stdout":"own"},
          "message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"the model's"}]}})"));
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].event.tool_response, Json({{"stdout", "own"}}));
  EXPECT_EQ(events[0].event.tool_input, Json({{"command", "ls"}}));
  EXPECT_EQ(events[0].at_ms, 1772442000250);
}

std::string Codex(const std::string& type, const std::string& payload) {
  return R"({"timestamp":"2026-03-02T09:00:00Z","type":")" + type + R"(","payload":)" + payload +
         "}";
}
std::string Item(const std::string& payload) { return Codex("response_item", payload); }
std::string Message(const std::string& role, const std::string& text) {
  return Item(R"({"type":"message","role":")" + role +
              R"(","content":[{"type":"input_text","text":)" + text + "}]}");
}

TEST(CodexFormat, LinesBecomeHookEvents) {
  const std::string user = Message("user", R"("a")");
  const std::string event = Codex("event_msg", R"({"type":"user_message","message":"a"})");
  const std::string answer = Message("assistant", R"("Done.")");
  const std::string call = Item(
      R"({"type":"function_call","name":"shell","call_id":"c1","arguments":"{\"command\":[\"bash\",\"-lc\",\"ls\"]}"})");
  const auto output = [](const std::string& text) {
    return Item(R"({"type":"function_call_output","call_id":"c1","output":)" + text + "}");
  };
  const Case table[] = {
      {"a turn with events", {user, event, answer}, {"UserPromptSubmit:a", "Stop:Done."}},
      {"events first", {event, user, answer}, {"UserPromptSubmit:a", "Stop:Done."}},
      {"a turn without events", {user, answer}, {"UserPromptSubmit:a", "Stop:Done."}},
      {"what the client adds",
       {Message("user", R"("<environment_context>x</environment_context>")"),
        Message("user", R"("# AGENTS.md instructions for /x")"), Message("developer", R"("x")"),
        user, event},
       {"UserPromptSubmit:a"}},
      {"a call",
       {call, output(R"("{\"output\":\"x\",\"metadata\":{\"exit_code\":0}}")")},
       {"PostToolUse:Bash"}},
      {"a call that failed",
       {call, output(R"("{\"output\":\"boom\",\"metadata\":{\"exit_code\":2}}")")},
       {"PostToolUseFailure:Bash!boom"}},
      {"a call of a newer version that failed",
       {call, output(R"("Exit code: 2\nWall time: 1 s\nOutput:\nboom")")},
       {"PostToolUseFailure:Bash!Exit code: 2\nWall time: 1 s\nOutput:\nboom"}},
      {"an output that is an object",
       {call, output(R"({"content":"x","success":true})")},
       {"PostToolUse:Bash"}},
      {"a patch",
       {Item(
            R"({"type":"custom_tool_call","name":"apply_patch","call_id":"c1","input":"*** Begin"})"),
        Item(R"({"type":"custom_tool_call_output","call_id":"c1","output":"ok"})")},
       {"PostToolUse:apply_patch"}},
      {"an interrupted turn",
       {event, answer, Codex("event_msg", R"({"type":"turn_aborted","reason":"interrupted"})")},
       {"UserPromptSubmit:a"}},
      {"the first version, without envelopes",
       {R"({"id":"s","timestamp":"2025-05-01T00:00:00Z","instructions":null})",
        R"({"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]})",
        R"({"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."}]})"},
       {"UserPromptSubmit:a", "Stop:Done."}},
      {"a sub-agent",
       {Codex("session_meta", R"({"id":"s","source":{"subagent":"review"}})"), event, answer},
       {"Stop:Done."}},
      {"bookkeeping",
       {Codex("turn_context", R"({"cwd":"/x"})"), Codex("compacted", R"({"message":"a"})"),
        Codex("event_msg", R"({"type":"token_count"})"), Item(R"({"type":"reasoning"})"),
        Codex("new", "{}"), R"({})", R"({"type":"event_msg","payload":7})"},
       {}}};
  for (const Case& one : table)
    EXPECT_EQ(EventsOf(*CodexFormat(), one.lines), one.events) << one.what;
}

TEST(CodexFormat, ShellCallHasOneCommandText) {
  const std::pair<const char*, const char*> table[] = {
      {R"({"command":["bash","-lc","git commit -m x"]})", "git commit -m x"},
      {R"({"command":["git","status"]})", "git status"},
      {R"({"command":"make"})", "make"},
      {R"({"cmd":"make test"})", "make test"},
      {R"({"command":7})", ""},
      {R"(no JSON)", ""}};
  for (const auto& [arguments, command] : table) {
    const auto format = CodexFormat();
    const Json item = {{"type", "function_call"},
                       {"name", "exec_command"},
                       {"call_id", "c"},
                       {"arguments", arguments}};
    ASSERT_TRUE(format->ReadLine({{"type", "response_item"}, {"payload", item}}).empty());
    const auto events = format->ReadLine(
        {{"type", "response_item"},
         {"payload", {{"type", "function_call_output"}, {"call_id", "c"}, {"output", "x"}}}});
    ASSERT_EQ(events.size(), 1u) << arguments;
    EXPECT_EQ(events[0].event.tool_name, "Bash");
    EXPECT_EQ(events[0].event.tool_input, Json({{"command", command}})) << arguments;
  }
}

}  // namespace
}  // namespace sidecar
