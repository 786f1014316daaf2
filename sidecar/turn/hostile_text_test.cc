// Shows that hostile text takes linear time: four times the text takes at most 2.5² times as long,
// in redaction, denials, rules and all other readers of tool output.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <string>

#include "lib/base/text/text.h"
#include "lib/redaction/redaction.h"
#include "sidecar/denial/denial.h"
#include "sidecar/rules/capture.h"
#include "sidecar/session/digest.h"
#include "sidecar/text/normal_path.h"
#include "sidecar/text/tool_text.h"

namespace sidecar {
namespace {

using base::Json;
using Work = std::function<void(const std::string& text)>;

// The noise of allocation and page faults in runs of microseconds. Quadratic work took seconds.
constexpr double kNoiseSeconds = 5e-3;
// Linear work grows by 4, quadratic by 16. A limit of 2.5 for twice the text was too tight, since
// longer texts miss the caches, which other programs use, too.
constexpr double kMostGrowth = 2.5 * 2.5;

double SecondsOf(const std::function<void()>& work) {
  const std::clock_t begin = std::clock();
  work();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

std::string Repeated(const std::string& unit, size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += unit;
  return text;
}

// Compares the fastest of several runs; more runs on a busy machine.
double GrowthOf(const Work& work, const std::string& quarter, const std::string& whole) {
  double least_quarter = 1e9, least_whole = 1e9;
  for (int round = 0; round < 12; ++round) {
    least_quarter = std::min(least_quarter, SecondsOf([&] { work(quarter); }));
    least_whole = std::min(least_whole, SecondsOf([&] { work(whole); }));
    if (round >= 2 && least_whole <= kMostGrowth * least_quarter + kNoiseSeconds) break;
  }
  return (least_whole - kNoiseSeconds) / least_quarter;
}

void ExpectLinear(const char* what, const Work& work, const std::string& before,
                  const std::string& unit, size_t bytes = 96 << 10) {
  const double growth =
      GrowthOf(work, before + Repeated(unit, bytes / 2), before + Repeated(unit, 2 * bytes));
  EXPECT_LE(growth, kMostGrowth) << what << " of many \"" << unit << "\" behind "
                                 << base::Ellipsize(before, 40);
}

TEST(HostileText, RedactionIsLinear) {
  const auto redactor = redaction::Redactor::Compile({});
  ASSERT_TRUE(redactor);
  const Work redact = [&](const std::string& text) {
    redaction::Redactor::Counts counts;
    (void)redactor->Redact(text, counts);
  };
  const std::string begin = std::string("-----BEGIN ") + "PRIVATE KEY-----",
                    end = std::string("-----END ") + "PRIVATE KEY-----";
  for (const std::string& unit : {begin + "!",
                                  begin + "!\n",
                                  begin,
                                  end,
                                  begin + "!" + end,
                                  std::string("-----BEGIN "),
                                  std::string("-----"),
                                  std::string("<private>"),
                                  std::string("<private>x</private>"),
                                  std::string("a"),
                                  std::string("\""),
                                  std::string("://"),
                                  std::string("a://b:cdef"),
                                  std::string("a://b:cdef@"),
                                  std::string("sk-"),
                                  std::string("sk-ant-"),
                                  std::string("token="),
                                  std::string("password:      "),
                                  std::string("token\"'"),
                                  std::string("eyJ"),
                                  std::string("eyJaaaaaaaaaaaa."),
                                  std::string("SG.aaaaaaaaaaaaaaaaaa."),
                                  std::string("Bearer "),
                                  std::string("authorization: basic "),
                                  std::string("AccountKey="),
                                  std::string("hooks.slack.com/services/"),
                                  std::string("12345678:AA"),
                                  std::string("aws_secret_key="),
                                  "ghp" + ("_" + std::string(36, 'Q')) + " ",
                                  std::string("api_key=\"a1b2c3d4e5f6g7h8\" "),
                                  std::string("YWJjZGVmZ2hpamtsbW5vcA"),
                                  std::string("MIIEpAIBAAKCAQEA\n"),
                                  "MIIEpAIBAAKCAQEA\n" + end + "\n",
                                  std::string("ghp_\n"),
                                  std::string("ghp_QQQQQQQQQQ\n"),
                                  std::string("\x1b[0m"),
                                  std::string("\u200b"),
                                  std::string("--password "),
                                  std::string("curl -u "),
                                  std::string("mysql -p"),
                                  std::string("token: |\n"),
                                  std::string("{\"name\":\"PASSWORD\",\"value\":"),
                                  std::string("[\"--token\","),
                                  std::string("{\\\"password\\\":"),
                                  std::string("<password>"),
                                  std::string("machine a login b password ")}) {
    ExpectLinear("redaction", redact, "", unit);
  }
  ExpectLinear("redaction", redact, begin + "!", "line\n");
}

TEST(HostileText, OutputsAndInjectedBlocksAreReadLinearly) {
  const Work strip = [](const std::string& text) { (void)WithoutInjected(text); };
  for (const char* unit :
       {"<memory:context>", "<memory:records>\n", "</memory:context>",
        "<memory:context></memory:", "<memory:sessions>x</memory:sessions>", "- [id 7; type ",
        "- [id 7; type x; trust y] z\n", "<memory:context>\n- x\n"}) {
    ExpectLinear("WithoutInjected", strip, "", unit);
  }
  const Work read = [](const std::string& text) {
    api::HookEvent event;
    event.tool_response = Json::array();
    for (size_t at = 0; at < text.size(); at += 16)
      event.tool_response.push_back(text.substr(at, 16));
    (void)ReadOutput(event);
  };
  ExpectLinear("ReadOutput", read, "", "x", 512 << 10);
}

TEST(HostileText, RulesAreLinear) {
  api::SaveRule rule;
  rule.tool = "*";
  rule.match_output = "(a+)+$|x.*y";
  rule.match_args = {{"a", "x"}};
  const auto rules = CaptureRules::Compile({rule});
  ASSERT_TRUE(rules);
  const Work judge = [&](const std::string& text) {
    api::HookEvent event;
    event.tool_name = "bash";
    event.tool_input = {{"a", "x"}};
    (void)rules->Judge(event, text, [] { return int64_t{0}; });
  };
  for (const char* unit : {"a", "x", "\n", " ", "xa\n"}) ExpectLinear("rules", judge, "", unit);
  // The texts of a key nested in itself stay bounded at any depth.
  Json nested = std::string(200'000, 'z');
  for (int i = 0; i < 50; ++i) nested = Json{{"a", std::move(nested)}};
  size_t bytes = 0;
  for (const std::string& text : ArgumentTexts(nested, "a")) bytes += text.size();
  EXPECT_LE(bytes, size_t{1} << 20);
}

TEST(HostileText, DenialsAreLinear) {
  api::Policy policy;
  policy.allowed_paths = {"/repo"};
  policy.blocked_commands = {"rm -rf", "git push *"};
  const RealPath real = [](const std::string& path) { return NormalPath(path, "/"); };
  const auto judge = [&](const char* argument) {
    return [&policy, &real, argument](const std::string& text) {
      api::HookEvent event;
      event.tool_name = "Bash";
      event.cwd = "/repo";
      event.tool_input = {{argument, text}};
      WorkBudget budget;
      (void)DeniedCall(policy, event, real, budget);
    };
  };
  const std::pair<const char*, const char*> texts[] = {
      {"", "$x"},      {"a=", "b$x"},   {"", "a"},     {"echo ", "@"},
      {"", "'"},       {"", "\""},      {"", "`"},     {"", "$("},
      {"", "("},       {"", "{a,"},     {"", "<<E\n"}, {"", "eval "},
      {"", "coproc "}, {"", "a/"},      {"", "../"},   {"cat '", "/repo/a "},
      {"", "sh -c '"}, {"", "\\"},      {"", "x=y;"},  {"xargs -I", "%"},
      {"echo ", "/"},  {"ls 2", ">&1"}, {"", "a\n"},   {"# ", "x "}};
  for (const auto& [before, unit] : texts) {
    ExpectLinear("denial of a command", judge("command"), before, unit, 24 << 10);
    ExpectLinear("denial of any text", judge("anything"), before, unit, 24 << 10);
  }
  const std::string mark(40'000, 'a');
  ExpectLinear("denial", judge("command"), "xargs -I " + mark + "b sh -c ", "a", 40 << 10);
}

TEST(HostileText, ManyArgumentsAndNamesAreLinear) {
  api::Policy policy;
  policy.allowed_paths = {"/repo"};
  policy.blocked_commands = {"rm -rf"};
  const auto judge = [&](const std::function<Json(size_t count)>& make) {
    return [&policy, make](const std::string& text) {
      static const RealPath real = [](const std::string& path) { return path; };
      api::HookEvent event;
      event.cwd = "/repo";
      event.tool_input = make(text.size());
      WorkBudget budget;
      (void)DeniedCall(policy, event, real, budget);
    };
  };
  const std::pair<const char*, std::function<Json(size_t)>> inputs[] = {
      {"lists",
       [](size_t count) {
         return Json{{"x", std::vector<std::string>(count, "a b/c")}};
       }},
      {"names",
       [](size_t count) {
         Json json;
         for (size_t i = 0; i < count; ++i) {
           json["c" + std::string(i % 40, '_') + "md" + std::string(i / 40, '-')] = "ls";
           json["a" + std::string(i % 40, '_') + "rgs" + std::string(i / 40, '-')] = "-l";
         }
         return json;
       }},
      {"prose", [](size_t count) {
         Json json = Json::array();
         for (size_t i = 0; i < count; ++i) json.push_back({{"content", "see /etc"}});
         return Json{{std::string(100'000, 'n'), json}};
       }}};
  for (const auto& [what, make] : inputs) {
    ExpectLinear(what, judge(make), "", "x", 800);
  }
}

TEST(HostileText, DigestsAreLinear) {
  const Work digest = [](const std::string& text) {
    SessionDigest digest;
    for (size_t at = 0; at < text.size(); at += 64) {
      conversation::Message call, result;
      call.role = "assistant";
      const std::string id = std::to_string(at);
      call.tool_calls = Json::array(
          {{{"id", id}, {"function", {{"name", "t" + id}, {"arguments", {{"path", id}}}}}}});
      result.role = "tool";
      result.tool_call_id = id;
      result.is_error = true;
      digest.Add(call);
      digest.Add(result);
    }
    (void)digest.Text();
  };
  ExpectLinear("digest", digest, "", "x", 64 << 10);
}

}  // namespace
}  // namespace sidecar
