// Shows the end of a task's sidecar: its sessions end, its captures reach a server that was briefly
// unavailable, and it writes the termination message.
#include "sidecar/session/stop.h"

#include <gtest/gtest.h>

#include <thread>

#include "lib/base/json/json.h"
#include "lib/base/process/file.h"
#include "lib/base/process/log.h"
#include "lib/testing/temporary_directory.h"
#include "sidecar/sidecar_fixture.h"

namespace sidecar {
namespace {

using base::Json;

class TaskStop : public SidecarTest {
 protected:
  void SetUp() override { Restart(); }
  void Restart(const Json& more = Json::object()) {
    running_.reset();  // writes its termination message before the next start
    Json policy = {{"mode", "task"}};
    policy.update(more);
    directory_.Write("policy.json", PolicyText(memory_.url(), policy));
    const std::string words = directory_.Write("termination-log", "");
    Start([&](SidecarSettings& settings) {
      settings.termination_log = words;
      settings.drain_timeout_ms = 10'000;
    });
  }
  Json TerminationReport() {
    return base::ParseJson(*base::ReadFile(directory_.path() + "/termination-log"))
        .value_or(Json());
  }
  std::string Session() {
    return Ask("GET", "/conversations/current").body.value("memory_session_id", "");
  }
  Json AtServer(const std::string& session) {
    return memory_.With([&](StubMemory& stub) { return stub.sessions[session]; });
  }
};

TEST_F(TaskStop, EndsEveryOpenSessionWithItsTranscript) {
  Prompt("one", "c1");
  const std::string first = Session();
  Prompt("two", "c2");
  const std::string second = Session();
  EXPECT_EQ(running_->Stop(), 0);
  EXPECT_EQ(AtServer(first)["ended"][0]["content"], "one");
  EXPECT_EQ(AtServer(second)["ended"][0]["content"], "two");
  EXPECT_FALSE(AtServer(first).contains("interim"));
  EXPECT_EQ(TerminationReport(), Json({{"session", second}, {"undelivered", 0}}))
      << "the last one used";
}

TEST_F(TaskStop, SessionEndedByAgentIsReported) {
  Prompt("one");
  const std::string session = Session();
  Hook("SessionEnd");
  running_->Stop();
  EXPECT_EQ(memory_.CountCalls("POST /sessions/"), 1u);
  EXPECT_EQ(TerminationReport(), Json({{"session", session}, {"undelivered", 0}}));
}

TEST_F(TaskStop, RunWithoutMessagesHasNoSession) {
  Prompt("of an earlier run on this volume");
  running_->Stop();
  Restart();
  running_->Stop();
  EXPECT_EQ(TerminationReport(), Json({{"undelivered", 0}}));
}

TEST_F(TaskStop, LastCaptureReachesServerThatReturnsLate) {
  memory_.With([](StubMemory& stub) { return stub.refuse_observations = 503; });
  Prompt("go");
  Bash("error: of the last moment", "t1");
  std::jthread back([this] {
    const size_t before = memory_.CountCalls("POST /observations");
    constexpr size_t kTries = 8;  // a daemon's sidecar gives up after three
    EXPECT_TRUE(memory_.Wait([&](StubMemory& stub) {
      size_t tries = 0;
      for (const auto& call : stub.calls) tries += call.target == "/observations";
      if (tries >= before + kTries) stub.refuse_observations = 0;
      return stub.refuse_observations == 0;
    }));
  });
  EXPECT_EQ(running_->Stop(), 0);
  EXPECT_EQ(memory_.With([](StubMemory& stub) { return stub.observations.size(); }), 1u);
  EXPECT_EQ(TerminationReport()["undelivered"], 0);
}

TEST_F(TaskStop, CountsWritesThatServerNeverAccepted) {
  Start([&](SidecarSettings& settings) {
    settings.termination_log = directory_.path() + "/termination-log";
    settings.drain_timeout_ms = 300;
  });
  memory_.Down();
  Prompt("go");
  Bash("error: never taken", "t1");
  const int64_t pending = running_->Stop();
  EXPECT_GE(pending, 2);
  EXPECT_EQ(TerminationReport()["undelivered"], pending);
  EXPECT_EQ(base::DumpJson(TerminationReport()).find("never taken"), std::string::npos);
}

TEST_F(TaskStop, DaemonReportsNothingIfAllIsDelivered) {
  Restart({{"mode", "daemon"}});
  Prompt("words");
  const std::string session = Session();
  running_->Stop();
  EXPECT_FALSE(AtServer(session).contains("ended"));
  EXPECT_EQ(*base::ReadFile(directory_.path() + "/termination-log"), "");
}

TEST(StopReport, CountsUndeliveredWrites) {
  const testing::TemporaryDirectory directory;
  const std::string file = directory.Write("termination-log", "");
  const uint64_t errors = base::CountedLogLines().errors;
  WriteTerminationMessage({}, file);
  EXPECT_EQ(*base::ReadFile(file), "");
  EXPECT_EQ(base::CountedLogLines().errors, errors);
  WriteTerminationMessage({.undelivered = 12}, file);
  const auto said = base::ParseJson(*base::ReadFile(file));
  ASSERT_TRUE(said);
  EXPECT_EQ((*said)["undelivered"], 12);
  EXPECT_NE((*said)["note"].get<std::string>().find("state.db"), std::string::npos);
  EXPECT_EQ(base::CountedLogLines().errors, errors + 1);
}

TEST(StopReport, OfTaskAlwaysNamesItsSession) {
  const testing::TemporaryDirectory directory;
  const std::string file = directory.Write("termination-log", "");
  WriteTerminationMessage({.task = true, .session = "s"}, file);
  EXPECT_EQ(base::ParseJson(*base::ReadFile(file)).value_or(Json()),
            Json({{"session", "s"}, {"undelivered", 0}}));
}

TEST(StopReport, UnknownCountIsOmitted) {
  const testing::TemporaryDirectory directory;
  const std::string file = directory.Write("termination-log", "");
  WriteTerminationMessage({.task = true, .undelivered = -1, .session = std::string(5'000, 's')},
                          file);
  EXPECT_EQ(*base::ReadFile(file), "") << "nor is more than the kubelet keeps";
  WriteTerminationMessage({.task = true, .undelivered = -1, .session = "s"}, file);
  EXPECT_EQ(base::ParseJson(*base::ReadFile(file)).value_or(Json()), Json({{"session", "s"}}));
}

TEST(StopReport, CreatesNoFileOutsideOfAPod) {
  const testing::TemporaryDirectory directory;
  WriteTerminationMessage({.undelivered = 12}, directory.path() + "/none");
  EXPECT_FALSE(base::ReadFile(directory.path() + "/none"));
}

}  // namespace
}  // namespace sidecar
