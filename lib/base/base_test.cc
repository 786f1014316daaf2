// Tests of lib/base's small parts: results, time, text, workers, settings.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <future>

#include "lib/base/limits/backoff.h"
#include "lib/base/process/clock.h"
#include "lib/base/process/config.h"
#include "lib/base/process/file.h"
#include "lib/base/process/random.h"
#include "lib/base/process/workers.h"
#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"
#include "lib/testing/eventually.h"
#include "lib/testing/temporary_directory.h"

namespace base {
namespace {

using ::testing::TemporaryDirectory;

TEST(Result, MacrosReturnErrors) {
  auto half = [](int n) -> Result<int> {
    if (n % 2) return Error{Code::kInvalid, "odd"};
    return n / 2;
  };
  auto quarter = [&](int n) -> Result<int> {
    ASSIGN_OR_RETURN(int once, half(n));
    ASSIGN_OR_RETURN(int twice, half(once));
    return twice;
  };
  EXPECT_EQ(*quarter(12), 3);
  EXPECT_EQ(quarter(6).error().message, "odd");
  EXPECT_EQ(Wrap("read x", quarter(6).error()).message, "read x: odd");
}

TEST(Time, FormatsAndParsesBothWays) {
  for (int64_t ms : {0LL, 1'775'988'000'000LL, 1'775'988'000'123LL, -1LL, 4'102'444'800'000LL}) {
    EXPECT_EQ(*ParseTime(FormatTime(ms)), ms) << FormatTime(ms);
  }
  // An accepted time is formatted in an accepted form: Go's zero time, leap seconds, the first and
  // last year.
  for (const char* text :
       {"0001-01-01T00:00:00Z", "0000-01-01T00:00:00Z", "2016-12-31T23:59:60Z",
        "0999-06-30T23:59:60.5Z", "9999-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999-12:00"}) {
    ASSERT_TRUE(ParseTime(text)) << text;
    const std::string again = FormatTime(*ParseTime(text));
    ASSERT_TRUE(ParseTime(again)) << text << again;
    EXPECT_EQ(*ParseTime(again), *ParseTime(text)) << again;
  }
  for (const char* outside :
       {"9999-12-31T23:59:60Z", "9999-12-31T23:00:00-02:00", "0000-01-01T00:00:00+01:00"})
    EXPECT_FALSE(ParseTime(outside)) << outside;
  EXPECT_EQ(FormatTime(1'775'988'000'000), "2026-04-12T10:00:00Z");
  EXPECT_EQ(*ParseTime("2026-04-12T12:00:00.5+02:00"), 1'775'988'000'500);
  for (const char* bad :
       {"", "2026-04-12", "2026-13-12T10:00:00Z", "2026-02-30T10:00:00Z", "2026-04-12T10:00:00",
        "2026-04-12T10:00:00.Z", "2026-04-12T10:00:00+2:00", "x026-04-12T10:00:00Z"}) {
    EXPECT_FALSE(ParseTime(bad)) << bad;
  }
}

TEST(Duration, HasGoSyntax) {
  EXPECT_EQ(*ParseDuration("0"), 0);
  EXPECT_EQ(*ParseDuration("45s"), 45'000);
  EXPECT_EQ(*ParseDuration("1h30m"), 5'400'000);
  EXPECT_EQ(*ParseDuration("1.5s"), 1'500);
  EXPECT_EQ(*ParseDuration("250ms"), 250);
  for (const char* bad : {"", "5", "-1s", "s", "1x", ".s", "1h-2m", "999999999999h"})
    EXPECT_FALSE(ParseDuration(bad)) << bad;
}

TEST(Text, CountsAndCutsCharacters) {
  std::string text = "aé日🙂b";
  EXPECT_EQ(CountCharacters(text), 5u);
  EXPECT_EQ(Prefix(text, 3), "aé日");
  EXPECT_EQ(Prefix(text, 9), text);
  EXPECT_EQ(Ellipsize(text, 5), text);
  EXPECT_EQ(Ellipsize(text, 4), "aé日…");
  EXPECT_EQ(Ellipsize("abc", 0), "");
  EXPECT_EQ(BorderBefore(text, 2), 1u);
  EXPECT_EQ(BorderAfter(text, 2), 3u);
}

TEST(Text, RecognizesWellFormedUtf8) {
  for (const char* good : {"", "a", "é", "日本", "🙂", "\xF4\x8F\xBF\xBF"})
    EXPECT_TRUE(IsUtf8(good)) << good;
  for (const char* bad :
       {"\x80", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE6\x97", "\xFF"})
    EXPECT_FALSE(IsUtf8(bad));
  EXPECT_EQ(ToUtf8("a\xFF"
                   "b"),
            "a\xEF\xBF\xBD"
            "b");
}

TEST(Text, FoldsAndCollapses) {
  EXPECT_EQ(FoldCase("MyAgent ÄSS ẞ"), FoldCase("myagent äss ß"));
  EXPECT_EQ(StripAccents("Crème brûlée"), "Creme brulee");
  EXPECT_EQ(CollapseWhitespace(" a\t\nb\xC2\xA0 c\xE3\x80\x80"), "a b c");
  EXPECT_TRUE(IsBlank(" \t\xE2\x80\xA8"));
  EXPECT_FALSE(IsBlank(" x "));
}

TEST(Text, MatchesGlobs) {
  EXPECT_TRUE(MatchesGlob("mcp__*__save", "mcp__k8s__save"));
  EXPECT_TRUE(MatchesGlob("*", ""));
  EXPECT_TRUE(MatchesGlob("b?sh", "b日sh"));
  EXPECT_FALSE(MatchesGlob("bash", "bash2"));
  EXPECT_FALSE(MatchesGlob("a*b", "acbd"));
  EXPECT_TRUE(MatchesGlob("a*b*c", "a-b-b-c"));
}

TEST(Text, HashesMatchTheStandard) {
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(RandomUuid().size(), 36u);
  EXPECT_NE(RandomHex(16), RandomHex(16));
}

TEST(Workers, RefuseWhenFull) {
  Workers workers("test", 1, 1);
  std::promise<void> release;
  std::shared_future<void> gate = release.get_future().share();
  EXPECT_TRUE(workers.TrySubmit([gate] { gate.wait(); }));
  EXPECT_TRUE(workers.TrySubmit([] {}));
  EXPECT_FALSE(workers.TrySubmit([] {}));
  release.set_value();
  workers.Stop();
  EXPECT_FALSE(workers.TrySubmit([] {}));
}

TEST(Workers, IdleThreadsEndExceptOne) {
  Workers workers("test", 3, 3, /*idle_ms=*/1);
  for (int round = 0; round < 3; ++round) {
    std::promise<void> release;
    std::shared_future<void> gate = release.get_future().share();
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(workers.TrySubmit([gate] { gate.wait(); }));
    EXPECT_EQ(workers.Threads(), 3u);
    release.set_value();
    EXPECT_TRUE(::testing::Eventually([&] { return workers.Threads() == 1; }));
  }
}

TEST(Workers, LanesTakeTurns) {
  std::vector<std::string> done;
  {
    Workers workers("test", 1, 100);
    std::promise<void> release;
    std::shared_future<void> gate = release.get_future().share();
    std::promise<void> inside;
    EXPECT_TRUE(workers.TrySubmit(
        [&, gate] {
          inside.set_value();
          gate.wait();
        },
        "ann"));
    inside.get_future().wait();
    for (int i = 0; i < 40; ++i)
      EXPECT_TRUE(workers.TrySubmit([&, i] { done.push_back("ann" + std::to_string(i)); }, "ann"));
    for (const char* lane : {"bob", "carl"})
      EXPECT_TRUE(workers.TrySubmit([&, lane] { done.push_back(lane); }, lane));
    release.set_value();
  }
  ASSERT_EQ(done.size(), 42u);
  done.resize(5);
  EXPECT_EQ(done, (std::vector<std::string>{"ann0", "bob", "carl", "ann1", "ann2"}));
}

TEST(Workers, BackgroundLaneHasAShareOfTheQueue) {
  std::promise<void> release;
  std::shared_future<void> gate = release.get_future().share();
  Workers workers("test", 1, 10, Workers::Background());
  EXPECT_TRUE(workers.TrySubmit([gate] { gate.wait(); }, "ann"));
  int taken = 0;
  while (workers.TrySubmit([] {}, "ann")) ++taken;
  EXPECT_GE(taken, 4);
  EXPECT_LE(taken, 6);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(workers.TrySubmit([] {}, "bob"));
  release.set_value();
}

TEST(Backoff, DelayStaysUnderGrowingCap) {
  Backoff backoff(200, 30'000, 7);
  for (int64_t cap : {200, 400, 800, 1600, 3200, 6400, 12800, 25600, 30000, 30000})
    EXPECT_LE(backoff.NextMs(), cap);
  backoff.Reset();
  EXPECT_LE(backoff.NextMs(), 200);
}

Program TestProgram() {
  using Kind = Setting::Kind;
  return {"prog",
          "does things.",
          {{"listen", Kind::kString, ":1", "where"},
           {"workers", Kind::kInt, "8", "threads", 1, 64},
           {"lock-wait", Kind::kDuration, "45s", "how long"},
           {"outbox-size", Kind::kBytes, "64Mi", "how much"},
           {"insecure", Kind::kBool, "false", "no identity"},
           {"namespaces", Kind::kList, "", "which"}},
          ""};
}

TEST(Settings, FlagWinsOverEnvironmentOverFileOverDefault) {
  const TemporaryDirectory directory;
  const std::string file = directory.File("c.yaml");
  ASSERT_TRUE(ReplaceFile(file, "listen: ':2'\nworkers: 3\noutbox-size: 1Gi\n"));
  std::vector<std::string> environment = {"AGENT_MEMORY_LISTEN=:3", "AGENT_MEMORY_WORKERS=4",
                                          "OTHER=1"};
  Program program = TestProgram();
  program.takes_words = true;
  auto got = ReadCommandLine(
      program,
      {"prog", "--config", file, "--workers=5", "--insecure", "--namespaces", "a,b", "sub"},
      environment);
  ASSERT_TRUE(got.run) << got.output;
  EXPECT_EQ(got.settings.Text("listen"), ":3");
  EXPECT_EQ(got.settings.Int("workers"), 5);
  EXPECT_EQ(got.settings.Bytes("outbox-size"), 1 << 30);
  EXPECT_EQ(got.settings.Milliseconds("lock-wait"), 45'000);
  EXPECT_TRUE(got.settings.Bool("insecure"));
  EXPECT_EQ(got.settings.List("namespaces"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(got.arguments, std::vector<std::string>{"sub"});
  EXPECT_TRUE(got.warnings.empty());
  EXPECT_FALSE(got.settings.IsSet("lock-wait"));
}

TEST(Settings, ProblemsNameTheKeyAndExit64) {
  const TemporaryDirectory directory;
  const std::string file = directory.File("c.yaml");
  struct Case {
    const char* yaml;
    std::vector<std::string> flags;
    const char* named;
  };
  for (const Case& c : std::vector<Case>{{"lisen: x", {}, "lisen"},
                                         {"workers: many", {}, "workers"},
                                         {"workers: 65", {}, "65"},
                                         {"workers: [1]", {}, "workers"},
                                         {"insecure: 1", {}, "insecure"},
                                         {"", {"--lock-wait", "soon"}, "lock-wait"},
                                         {"", {"--nope"}, "--nope"},
                                         {"", {"--workers"}, "--workers"},
                                         {"a: 1\na: 2", {}, "twice"}}) {
    ASSERT_TRUE(ReplaceFile(file, c.yaml));
    std::vector<std::string> argv = {"prog", "--config", file};
    argv.insert(argv.end(), c.flags.begin(), c.flags.end());
    auto got = ReadCommandLine(TestProgram(), argv, {});
    EXPECT_FALSE(got.run);
    EXPECT_EQ(got.exit_code, 64) << c.yaml;
    EXPECT_NE(got.output.find(c.named), std::string::npos) << got.output;
  }
}

// The output of a start with these arguments; empty: the program would start.
std::string Refusal(const Program& program, std::vector<std::string> words,
                    const std::vector<std::string>& environment = {}) {
  words.insert(words.begin(), "prog");
  auto got = ReadCommandLine(program, words, environment);
  EXPECT_EQ(got.exit_code, got.run ? 0 : 64) << got.output;
  return got.output;
}

TEST(Settings, UnknownWordIsRefusedWithNearestKnown) {
  Program program = TestProgram();
  EXPECT_EQ(Refusal(program, {"foo", "--listen", ":1"}),
            "prog: unknown word 'foo': there are only flags here; --help lists them\n");
  EXPECT_NE(Refusal(program, {"--lisen=:1"}).find("unknown flag --lisen; did you mean '--listen'?"),
            std::string::npos);
  EXPECT_NE(Refusal(program, {"--confg", "x"}).find("did you mean '--config'?"), std::string::npos);
  program.commands = {"check", "await"};
  EXPECT_NE(Refusal(program, {"chekc"}).find("unknown command 'chekc'; did you mean 'check'?"),
            std::string::npos);
  EXPECT_NE(Refusal(program, {"serve"}).find("commands: check, await; --help"), std::string::npos);
  EXPECT_NE(Refusal(program, {"-"}), "") << "nor is a dash a command";
  for (const char* asks : {"help", "--help", "-h"}) {
    auto got = ReadCommandLine(program, {"prog", asks}, {});
    EXPECT_EQ(got.exit_code, 0);
    EXPECT_NE(got.output.find("--listen"), std::string::npos) << asks;
  }
}

TEST(Settings, MisspeltVariableIsRefusedAndForeignOneIsNot) {
  const Program program = TestProgram();
  EXPECT_EQ(Refusal(program, {}, {"AGENT_MEMORY_LISTN=:1"}),
            "prog: AGENT_MEMORY_LISTN: unknown setting; did you mean AGENT_MEMORY_LISTEN?\n");
  // Variables of Services called agent-memory, agent-memory-liste and agent-memory-worker.
  const std::vector<std::string> links = {
      "AGENT_MEMORY_SERVICE_HOST=10.0.0.1",      "AGENT_MEMORY_SERVICE_PORT=7437",
      "AGENT_MEMORY_SERVICE_PORT_MEMORY=7437",   "AGENT_MEMORY_PORT=tcp://10.0.0.1:7437",
      "AGENT_MEMORY_PORT_7437_TCP=tcp://1:7437", "AGENT_MEMORY_PORT_7437_TCP_ADDR=10.0.0.1",
      "AGENT_MEMORY_LISTE_SERVICE_HOST=::1",     "AGENT_MEMORY_WORKER_PORT=tcp://1:1",
      "AGENT_MEMORY_URL=http://127.0.0.1:7437"};
  auto started = ReadCommandLine(program, {"prog"}, links);
  EXPECT_TRUE(started.run) << started.output;
  EXPECT_TRUE(started.warnings.empty());
  started = ReadCommandLine(program, {"prog"}, {"AGENT_MEMORY_ELSEWHERE=1"});
  EXPECT_TRUE(started.run) << "it may be another program's";
  EXPECT_EQ(started.warnings,
            std::vector<std::string>{"AGENT_MEMORY_ELSEWHERE is no setting of prog"});
}

TEST(Settings, CheckConfigAndStartGiveTheSameErrors) {
  Program program = TestProgram();
  program.check = [](const Settings& settings) -> Status {
    if (settings.Int("workers") % 2 == 0) return {};
    return Error{Code::kInvalid, "workers: must be even"};
  };
  const std::string refused = Refusal(program, {"--workers", "3"});
  EXPECT_EQ(refused, "prog: workers: must be even\n");
  EXPECT_EQ(Refusal(program, {"--workers", "3", "--check-config"}), refused);
  auto good = ReadCommandLine(program, {"prog", "--check-config"}, {});
  EXPECT_EQ(good.exit_code, 0);
  EXPECT_FALSE(good.run);
  EXPECT_EQ(good.output, "prog: the settings are good\n");
}

TEST(Settings, HelpNamesEverySetting) {
  auto got = ReadCommandLine(TestProgram(), {"prog", "--help"}, {});
  for (const Setting& setting : TestProgram().settings)
    EXPECT_NE(got.output.find("--" + setting.name), std::string::npos);
  EXPECT_EQ(got.exit_code, 0);
  EXPECT_EQ(ReadCommandLine(TestProgram(), {"prog", "--version"}, {}).output,
            "prog " AGENT_MEMORY_VERSION "\n");
}

}  // namespace
}  // namespace base
