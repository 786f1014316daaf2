// Shows that calls that wait for the memory server hold up neither hooks nor probes, which calls
// fail while it is unreachable, and that a start on a used port reports it.
#include <gtest/gtest.h>

#include <thread>

#include "sidecar/sidecar_fixture.h"

namespace sidecar {
namespace {

using BusyWorkers = SidecarTest;

TEST_F(BusyWorkers, AHookIsAnsweredWhileSearchesHoldEveryWaitingWorker) {
  constexpr size_t kWorkers = 3;
  Start([](SidecarSettings& settings) { settings.workers = kWorkers; });
  memory_.With([](StubMemory& stub) { return stub.delay_ms = 60'000; });
  std::vector<std::jthread> searches;
  for (size_t i = 0; i < 8; ++i) {
    searches.emplace_back([this] {
      http::ClientRequest request;
      request.target = "/search?q=x";
      (void)ClientOf(running_->api_address())->Send(request);
    });
  }
  ASSERT_TRUE(Until([&] { return memory_.CountCalls("GET /search") >= kWorkers; }));
  const Reply hook = Hook("PostToolUse", {{"tool_name", "Read"},
                                          {"tool_input", {{"file_path", "/repo/x"}}},
                                          {"tool_response", "x"},
                                          {"tool_use_id", "t1"}});
  EXPECT_EQ(hook.status, 200);
  EXPECT_EQ(Ask("GET", "/v1/status").status, 200);
  EXPECT_EQ(AskAdmin("/livez").status, 200);
  EXPECT_EQ(memory_.CountCalls("GET /search"), kWorkers) << "none was let go meanwhile";
  memory_.Release();
}

TEST_F(BusyWorkers, ProbesAreAnsweredWhileEveryOtherWorkerIsBusy) {
  constexpr size_t kWorkers = 2;
  Start([](SidecarSettings& settings) {
    settings.workers = kWorkers;
    settings.recall_timeout_ms = 60'000;
  });
  memory_.With([](StubMemory& stub) { return stub.delay_ms = 60'000; });
  std::vector<std::jthread> busy;
  const auto hold = [&](const char* method, const char* target, const std::string& body) {
    busy.emplace_back([=, this] {
      http::ClientRequest request;
      request.method = method;
      request.target = target;
      request.body = body;
      (void)ClientOf(running_->api_address())->Send(request);
    });
  };
  for (size_t i = 0; i < 2 * kWorkers; ++i) {
    hold("GET", "/search?q=x", "");
    hold("POST", "/v1/hooks",
         base::DumpJson({{"hook_event_name", "UserPromptSubmit"},
                         {"session_id", "c" + std::to_string(i)},
                         {"prompt", "what is known about the cache?"}}));
  }
  ASSERT_TRUE(Until([&] {
    return memory_.CountCalls("GET /search") >= kWorkers &&
           memory_.CountCalls("GET /context") >= kWorkers;
  }));
  for (const char* probe : {"/livez", "/readyz", "/v1/policy", "/metrics"})
    EXPECT_EQ(AskAdmin(probe).status, 200) << probe;
  EXPECT_EQ(memory_.CountCalls("GET /context"), kWorkers) << "none was let go meanwhile";
  memory_.Release();
}

// The server keeps keys only for POST /observations: elsewhere a key would allow unsafe retries.
TEST_F(BusyWorkers, AKeyOfTheAgentMakesNoOtherRouteRetriable) {
  http::ClientRequest request;
  request.method = "POST";
  request.target = "/sessions";
  request.body = R"({"id":"s2"})";
  request.headers.Set("Idempotency-Key", "k1");
  EXPECT_EQ(Send(*api_, request).status, 201);
  request.method = "POST";
  request.target = "/import";
  request.body = R"({"sessions":[],"observations":[]})";
  (void)Send(*api_, request);
  memory_.With([](StubMemory& stub) {
    for (const StubMemory::Call& call : stub.calls) {
      EXPECT_NE(call.key, "k1") << call.target;
    }
    return 0;
  });
}

TEST_F(BusyWorkers, APortThatIsTakenIsNamedAndTheStartEndsCleanly) {
  memory_.With([](StubMemory& stub) { return stub.refuse_observations = 503; });
  for (int i = 0; i < 20; ++i) Bash("error: " + std::to_string(i), "t" + std::to_string(i));
  running_.reset();
  SidecarSettings settings;
  settings.listen = settings.admin = "127.0.0.1:0";
  settings.policy = directory_.path() + "/policy.json";
  settings.data_directory = directory_.path() + "/state";
  const std::string taken = memory_.url().substr(7);
  for (std::string SidecarSettings::*port : {&SidecarSettings::listen, &SidecarSettings::admin}) {
    SidecarSettings wrong = settings;
    wrong.*port = taken;
    const auto started = RunningSidecar::Start(wrong, *clock_);
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().code, base::Code::kConflict);
    EXPECT_NE(started.error().message.find(taken), std::string::npos) << started.error().message;
  }
}

}  // namespace
}  // namespace sidecar
