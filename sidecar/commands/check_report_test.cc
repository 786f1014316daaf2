// Shows that a check reports the decisions that a running sidecar makes about the event, with their
// reasons; and the command's output and exit codes.
#include "sidecar/commands/check_report.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "sidecar/commands/commands.h"
#include "sidecar/sidecar_fixture.h"

namespace sidecar {
namespace {

using base::Json;

const std::string kSecret = "ghp" + ("_" + std::string(36, 'Q'));

Json Event(const char* name, Json fields) {
  Json event = {{"hook_event_name", name}, {"session_id", "c1"}, {"cwd", "/work"}};
  if (fields.is_object()) event.update(fields);
  return event;
}

Json BashResult(const std::string& output, const std::string& id = "t1") {
  return Event("PostToolUse", {{"tool_name", "Bash"},
                               {"tool_input", {{"command", "make all"}}},
                               {"tool_response", {{"stdout", output}, {"stderr", ""}}},
                               {"tool_use_id", id}});
}

Json BashCall(const std::string& command) {
  return Event(
      "PreToolUse",
      {{"tool_name", "Bash"}, {"tool_input", {{"command", command}}}, {"tool_use_id", "t9"}});
}

class CheckTest : public SidecarTest {
 protected:
  struct Run {
    int code = 0;
    std::string out, err;
  };
  static Run Check(const std::vector<std::string>& arguments, const std::string& input = "") {
    std::istringstream in(input);
    std::ostringstream out, err;
    const int code = RunCheck(arguments, in, out, err);
    return {code, out.str(), err.str()};
  }
  Run CheckEvents(const std::string& policy, const std::string& events,
                  const std::string& output = "json") {
    return Check({"--policy", directory_.Write("checked.json", policy), "--event",
                  directory_.Write("event.json", events), "--output", output});
  }
  Json Report(const std::string& policy, const Json& event) {
    const Run run = CheckEvents(policy, event.dump());
    EXPECT_EQ(run.code, 0) << run.err;
    return base::ParseJson(run.out)->at("events").at(0);
  }
};

TEST_F(CheckTest, SaysWhatARunningSidecarThenSaves) {
  const std::string policy = PolicyText(
      memory_.url(), {{"memory", {{"allowGlobal", false}}},
                      {"toolHooks",
                       {{"memorySaveRules",
                         {{{"name", "errors"},
                           {"tool", "bash"},
                           {"matchOutput", "err[a-z]+"},
                           {"scope", "global"},
                           {"tags", {"x"}}},
                          {{"name", "all"}, {"tool", "b*"}, {"type", "config"}},
                          {{"name", "none"}, {"tool", "bash"}, {"matchOutput", "absent"}}}}}}});
  directory_.Write("policy.json", policy);
  Start();
  const Json event = BashResult("main.c:1: error: " + kSecret);
  const Json report = Report(policy, event);
  ASSERT_EQ(Ask("POST", "/v1/hooks", event).status, 200);
  ASSERT_TRUE(memory_.WaitForObservations(2));
  auto rows = memory_.With([](StubMemory& stub) { return stub.observations; });
  ASSERT_EQ(report["saves"].size(), rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i].erase("session_id");
    EXPECT_EQ(report["saves"][i], rows[i]);
  }
  EXPECT_EQ(report["redactions"], (Json{{"github", 1}}));
  EXPECT_EQ(report.dump().find(kSecret), std::string::npos);
  EXPECT_EQ(report["messages"], Messages().size());
}

TEST_F(CheckTest, SaysWhatARunningSidecarThenSearchesAndDenies) {
  const std::string policy = PolicyText(
      memory_.url(), {{"toolHooks",
                       {{"blockedCommands", {"rm -rf"}},
                        {"contextInjectTools",
                         {{{"tool", "bash"}, {"query", "from_tool_args"}, {"limit", 4}},
                          {{"tool", "read"}, {"query", "fixed"}},
                          {{"tool", "*"}, {"query", "always this"}, {"inject", true}}}}}}});
  directory_.Write("policy.json", policy);
  Start();
  const Json denied = Report(policy, BashCall("rm -rf /"));
  EXPECT_EQ(denied["permission"]["decision"], "deny");
  EXPECT_TRUE(denied["recall"].is_null());
  EXPECT_EQ(denied["permission"]["reason"],
            Ask("POST", "/v1/hooks", BashCall("rm -rf /"))
                .body["hookSpecificOutput"]["permissionDecisionReason"]);

  const Json searches = Report(policy, BashCall("make all"))["recall"]["searches"];
  ASSERT_EQ(searches.size(), 3u);
  EXPECT_EQ(searches[0], (Json{{"tool", "bash"},
                               {"searches", true},
                               {"query", "make all"},
                               {"limit", 4},
                               {"inject", false}}));
  EXPECT_FALSE(searches[1]["searches"]);
  EXPECT_EQ(searches[2]["inject"], true);
  Ask("POST", "/v1/hooks", BashCall("make all"));
  EXPECT_EQ(memory_.CountCalls("GET /search?q=make all&project=coder&limit=4"), 1u);
  EXPECT_EQ(memory_.CountCalls("GET /search?q=always this&project=coder&limit=3"), 1u);
  EXPECT_EQ(memory_.CountCalls("GET /search"), 2u);
}

TEST_F(CheckTest, SaysEverySaveAndByWhichField) {
  const Json fields = {{"rememberPrompts", true},
                       {"saveStatements", true},
                       {"saveCommits", true},
                       {"sessionDigest", true}};
  const Json rule = {{"name", "all"}, {"tool", "bash"}};
  const std::string policy =
      PolicyText(memory_.url(), {{"memory", fields}, {"toolHooks", {{"memorySaveRules", {rule}}}}});
  Json commit = BashResult("[main 1a2b3c4] Round half up\n 1 file changed, 1 insertion(+)", "t2");
  commit["tool_input"]["command"] = "git commit -m 'Round half up' -m 'Cents were cut off.'";
  const std::vector<Json> events = {
      Event("UserPromptSubmit", {{"prompt", "Remember: I prefer tabs"}}),
      Event("UserPromptSubmit", {{"prompt", "We use pytest here, not unittest."}}),
      Event("UserPromptSubmit", {{"prompt", "Fix the rounding of invoices"}}),
      commit,
      Event("Stop", {{"last_assistant_message", "It rounds half up now."}}),
      Event("SessionEnd", {})};
  std::string lines;
  for (const Json& event : events) lines += event.dump() + "\n";
  const Run json = CheckEvents(policy, lines), text = CheckEvents(policy, lines, "text");
  const Json reports = base::ParseJson(json.out)->at("events");
  std::vector<std::string> types;
  for (const Json& report : reports)
    for (const Json& save : report["saves"]) types.push_back(save["type"]);
  EXPECT_EQ(types, (std::vector<std::string>{"preference", "convention", "discovery", "change",
                                             "session"}))
      << json.out;
  EXPECT_TRUE(reports[4]["summary"].is_null());
  EXPECT_NE(reports[5]["summary"].dump().find("Session with 4 messages"), std::string::npos)
      << reports[5]["summary"];
  for (const char* part :
       {"  saves\n    + rememberPrompts: the prompt asks to remember it\n      saves preference, "
        "scope project: \"I prefer tabs\"",
        "    + saveStatements: the prompt states it\n      saves convention",
        "    + all: it has no matchOutput: every result of the tool\n      saves discovery",
        "    + saveCommits: the call made a commit\n      saves change, scope project: \"Round "
        "half up\"",
        "    + sessionDigest: the session ends\n      saves session, scope project: \"Session: ",
        "  summary     \"Session with 4 messages"}) {
    EXPECT_NE(text.out.find(part), std::string::npos) << part << "\n" << text.out;
  }
  // The same as a running sidecar saves.
  directory_.Write("policy.json", policy);
  Start();
  for (const Json& event : events) ASSERT_EQ(Ask("POST", "/v1/hooks", event).status, 200);
  ASSERT_TRUE(memory_.WaitForObservations(5));
  std::multiset<std::string> live, checked;
  for (Json row : memory_.With([](StubMemory& stub) { return stub.observations; })) {
    row.erase("session_id");
    if (row["type"] == "session") row.erase("topic_key");
    live.insert(row.dump());
  }
  for (const Json& report : reports)
    for (const Json& save : report["saves"]) checked.insert(save.dump());
  EXPECT_EQ(checked, live);
}

TEST_F(CheckTest, EveryRuleExplainsItsVerdict) {
  const std::string policy = PolicyText(
      "http://x", {{"toolHooks",
                    {{"memorySaveRules",
                      {{{"name", "a"}, {"tool", "kubectl"}},
                       {{"name", "b"}, {"tool", "bash"}, {"matchArgs", {{"command", "^apply"}}}},
                       {{"name", "c"}, {"tool", "bash"}, {"matchArgs", {{"file", "x"}}}},
                       {{"name", "d"}, {"tool", "bash"}, {"matchOutput", "panic"}},
                       {{"name", "e"}, {"tool", "bash"}, {"matchOutput", "fi.e"}}}}}}});
  const Json rules = Report(policy, BashResult("all fine"))["rules"];
  const char* const why[] = {"skipped: rule applies to tool kubectl",
                             "matchArgs.command \"^apply\" does not match \"make all\"",
                             "the call has no argument \"file\"",
                             "matchOutput \"panic\" is not in the output of 8 characters",
                             "matchOutput \"fi.e\" found \"fine\""};
  ASSERT_EQ(rules.size(), 5u);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(rules[i]["why"], why[i]);
    EXPECT_EQ(rules[i]["matched"], i == 4);
  }
  Json own = BashResult("panic");
  own["tool_name"] = "mcp__memory__mem_search";
  const Json of_own = Report(policy, own)["rules"];
  EXPECT_EQ(of_own.size(), 5u);
  for (const Json& rule : of_own) {
    EXPECT_EQ(rule["why"], "a memory tool: what it returns was remembered before");
  }
}

TEST_F(CheckTest, PromptsAndOtherEvents) {
  const std::string policy = PolicyText("http://x", {{"toolHooks", {{"auditTools", {"bash"}}}}});
  const Json prompt =
      Report(policy, Event("UserPromptSubmit", {{"prompt", std::string(600, 'p')}}));
  EXPECT_EQ(
      prompt["recall"]["context"],
      (Json{{"asks", true}, {"query", std::string(500, 'p')}, {"limit", 5}, {"sessions", 3}}));
  const std::string off = PolicyText("http://x", {{"memory", {{"contextLimit", 0}}}});
  EXPECT_EQ(Report(off, Event("SessionStart", {}))["recall"]["context"]["asks"], false);
  EXPECT_EQ(Report(policy, BashResult("x"))["audited"], true);
  EXPECT_EQ(Report(policy, Event("Notification", {}))["known"], false);
  EXPECT_EQ(Report(policy, BashResult(std::string(300'000, 'x')))["truncated"], true);
}

TEST_F(CheckTest, TextAndJsonAgree) {
  const std::string policy = PolicyText(
      "http://x", {{"toolHooks", {{"auditTools", {"bash"}}, {"blockedCommands", {"rm"}}}}});
  const std::string events = BashResult("error: one\ntwo " + kSecret).dump() + "\n" +
                             BashCall("rm x").dump() + "\n\n" +
                             Json{{"via", "http"}, {"event", BashCall("make")}}.dump() + "\n";
  const Run run = CheckEvents(policy, events, "text");
  EXPECT_EQ(run.code, 0);
  for (const char* part :
       {"policy sha256:", "agent coder, project coder", "PostToolUse Bash of conversation c1",
        "+ errors: matchOutput \"error|panic\" found \"error\"",
        "saves bugfix, scope project: \"Bash make all: error: one\"", "        | error: one\n",
        "- places: matchOutput \"main\\.c\" is not in the output", "redacted    github, 1",
        "audit       the call goes to the audit log", "permission  deny: the policy",
        "recall      contextInjectTools \"bash\": searches \"make\", limit 3, for the record "
        "only"}) {
    EXPECT_NE(run.out.find(part), std::string::npos) << part << "\n" << run.out;
  }
  EXPECT_EQ(run.out.find(kSecret), std::string::npos);
  EXPECT_EQ(CheckEvents(policy, events, "text").out, run.out) << "the same bytes";
}

TEST_F(CheckTest, RecordedTextCannotSteerATerminal) {
  const std::string hostile = "\x1b[2J\x1b]52;c;cHduCg==\x07\xe2\x80\xae";
  Json event = BashResult("main.c:1: error: " + hostile);
  event["tool_name"] = "Bash" + hostile;
  event["session_id"] = "c" + hostile;
  Json call = BashCall("rm " + hostile);
  call["hook_event_name"] = "Else" + hostile;
  const std::string policy = PolicyText("http://x", {{"toolHooks", {{"blockedCommands", {"rm"}}}}});
  for (const Json& seen :
       {event, BashResult("error: " + hostile), BashCall("rm " + hostile), call}) {
    const Run run = CheckEvents(policy, seen.dump(), "text");
    EXPECT_EQ(run.code, 0) << run.err;
    for (const char* steers : {"\x1b", "\x07", "\xe2\x80\xae"})
      EXPECT_EQ(run.out.find(steers), std::string::npos) << run.out;
  }
  const Run named = CheckEvents(policy, event.dump(), "text");
  EXPECT_NE(named.out.find("PostToolUse Bash\\u001B[2J"), std::string::npos) << named.out;
}

TEST_F(CheckTest, EventIsAnArgumentOrStandardInput) {
  const std::string policy = directory_.Write("p.json", PolicyText("http://x"));
  const std::string event = BashCall("make").dump(), file = directory_.Write("e.json", event);
  const Run by_flag = Check({"--policy", policy, "--event", file});
  EXPECT_EQ(by_flag.code, 0) << by_flag.err;
  EXPECT_NE(by_flag.out.find("recall"), std::string::npos);
  for (const Run& run : {Check({"--policy", policy, file}), Check({file, "--policy", policy}),
                         Check({"--policy", policy, "-"}, event),
                         Check({"--policy", policy, "--event", "-"}, event)}) {
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(run.out, by_flag.out);
  }
  EXPECT_EQ(Check({"--policy", policy, "-"}, "").code, 65);
  EXPECT_EQ(Check({"--policy", policy, file, file}).code, 64);
  EXPECT_EQ(Check({"--policy", policy, "--event", file, file}).code, 64);
}

TEST_F(CheckTest, ExitCodesDistinguishErrors) {
  const std::string good = PolicyText("http://x");
  const std::string event = BashCall("x").dump();
  EXPECT_EQ(CheckEvents(good, event).code, 0);
  EXPECT_EQ(CheckEvents(good, event, "yaml").code, 64);
  EXPECT_EQ(Check({"--policy", "x"}).code, 66);
  EXPECT_EQ(Check({"--nonsense"}).code, 64);
  EXPECT_EQ(Check({"--help"}).code, 0);
  EXPECT_NE(Check({"--help"}).out.find("--event"), std::string::npos);
  EXPECT_NE(Check({}).err.find("name the policy file with --policy FILE"), std::string::npos);
  EXPECT_EQ(Check({}).code, 64);
  const Run bad_policy = CheckEvents(
      PolicyText(
          "http://x",
          {{"toolHooks",
            {{"memorySaveRules", {{{"name", "broken"}, {"tool", "x"}, {"matchOutput", "("}}}}}}}),
      event);
  EXPECT_EQ(bad_policy.code, 65);
  EXPECT_NE(bad_policy.err.find("--policy: save rule broken"), std::string::npos) << bad_policy.err;
  EXPECT_EQ(CheckEvents("{}", event).code, 65);
  for (const char* bad : {"", "[]", "{}", "not json", "{\"hook_event_name\": \"Stop\"}"}) {
    const Run run = CheckEvents(good, bad);
    EXPECT_EQ(run.code, 65) << bad;
    EXPECT_NE(run.err.find("--event"), std::string::npos) << run.err;
    EXPECT_EQ(run.out, "");
  }
}

}  // namespace
}  // namespace sidecar
