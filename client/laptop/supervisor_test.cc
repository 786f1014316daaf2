// Shows when a sidecar ends for want of use, with programs that only print an address: of an HTTP
// server in the test.
#include "client/laptop/supervisor.h"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "client/laptop/starter_policy.h"
#include "lib/base/process/file.h"
#include "lib/http/server/server.h"
#include "lib/testing/temporary_directory.h"

namespace client {
namespace {

struct SupervisorTest : testing::Test {
  SupervisorTest() {
    http::ServerOptions options;
    options.listen = "127.0.0.1:0";
    std::vector<http::Route> routes = {
        {"GET", "/health",
         [](const http::Request&) { return http::JsonResponse(200, base::Json::object()); }},
        {"GET", "/v1/policy", [this](const http::Request&) {
           const std::lock_guard lock(mutex);
           ++asked;
           changed.notify_all();
           return http::JsonResponse(200, answer);
         }}};
    auto started = http::Server::Start(http::Router(std::move(routes)), options);
    EXPECT_TRUE(started);
    server = std::move(*started);
    const std::string line = base::DumpJson(
        {{"msg", "listening"}, {"api", server->address()}, {"admin", server->address()}});
    const std::string program =
        directory.Write("program", "#!/bin/sh\necho '" + line + "'\nexec sleep 600\n");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    const base::Program settings{"t", "t", {HomeSetting()}, ""};
    const auto read = base::ReadCommandLine(settings, {"t", "--home", directory.File("home")}, {});
    home = *Home::Find(read.settings);
    EXPECT_TRUE(home->Make());
    EXPECT_TRUE(base::ReplaceFile(home->File("policy.json"), StarterPolicy()));
    std::filesystem::create_directories(directory.File("app"));
    supervisor = std::make_unique<Supervisor>(
        *home, Programs{program, program}, [](const std::string&) {}, 1);
  }
  // Waits until the sidecars were asked `times` times from now on.
  bool WaitForQuestions(int times) {
    std::unique_lock lock(mutex);
    const int until = asked + times;
    return changed.wait_for(lock, std::chrono::seconds(30), [&] { return asked >= until; });
  }
  bool WaitUntilNoneRuns() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!supervisor->Status()["projects"].empty()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::yield();
    }
    return true;
  }
  void Answer(base::Json now) {
    const std::lock_guard lock(mutex);
    answer = std::move(now);
  }

  testing::TemporaryDirectory directory;
  std::mutex mutex;
  std::condition_variable changed;
  base::Json answer = {{"quiet_ms", 0}};
  int asked = 0;
  std::unique_ptr<http::Server> server;
  std::optional<Home> home;
  std::unique_ptr<Supervisor> supervisor;
};

TEST_F(SupervisorTest, ASidecarThatIsAskedByHttpGoesOn) {
  ASSERT_TRUE(supervisor->Start());
  const auto project = supervisor->Use(directory.File("app"), "");
  ASSERT_TRUE(project) << project.error().message;
  ASSERT_TRUE(WaitForQuestions(3));
  const base::Json status = supervisor->Status();
  ASSERT_EQ(status["projects"].size(), 1u) << status;
  EXPECT_EQ(status["projects"][0]["running"], true);
  Answer({{"quiet_ms", 3'600'000}});
  EXPECT_TRUE(WaitUntilNoneRuns()) << "it is not used by HTTP either";
}

TEST_F(SupervisorTest, ASidecarThatDoesNotSayIsUsedByCommandsAlone) {
  ASSERT_TRUE(supervisor->Start());
  for (const base::Json& odd : {base::Json(), base::Json{{"quiet_ms", "now"}}, base::Json("x")}) {
    Answer(odd);
    const auto project = supervisor->Use(directory.File("app"), "");
    ASSERT_TRUE(project) << project.error().message;
    EXPECT_TRUE(WaitUntilNoneRuns()) << odd;
  }
}

}  // namespace
}  // namespace client
