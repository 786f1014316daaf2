// Shows the debug log, the answers without a policy in force, and the check of the Host header on
// the admin port.
#include "lib/base/process/log.h"
#include "lib/testing/raw_socket.h"
#include "sidecar/sidecar_fixture.h"

namespace sidecar {
namespace {

using base::Json;

class OpenPortsTest : public SidecarTest {
 protected:
  ~OpenPortsTest() override { base::SetLogLevel(base::Level::kInfo); }
  int AdminStatus(const std::string& host) const {
    const std::string address = running_->admin_address();
    return testing::StatusOf(testing::Exchange(
        std::stoi(address.substr(address.rfind(':') + 1)),
        "GET /metrics HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n"));
  }
  // The lines with this message that were logged while `act` ran.
  template <class Act>
  static std::vector<Json> Logged(const std::string& message, const Act& act) {
    testing::internal::CaptureStderr();
    act();
    all_ = testing::internal::GetCapturedStderr();
    std::vector<Json> lines;
    for (const std::string& line : base::Split(all_, '\n')) {
      const auto read = base::ParseJson(line);
      if (read && base::StringAt(*read, {"msg"}) == message) lines.push_back(*read);
    }
    return lines;
  }
  static inline std::string all_;
};

TEST_F(OpenPortsTest, DebugLogsALineForEachHookAndRequestAndNoContent) {
  const Json prompt = {{"hook_event_name", "UserPromptSubmit"},
                       {"session_id", "c1"},
                       {"prompt", "why does sesame.c not compile?"}};
  auto ask = [&] { EXPECT_EQ(Ask("POST", "/v1/hooks", prompt).status, 200); };
  EXPECT_TRUE(Logged("hook", ask).empty()) << "at info there is none";
  base::SetLogLevel(base::Level::kDebug);
  const auto hooks = Logged("hook", ask);
  ASSERT_EQ(hooks.size(), 1u) << all_;
  EXPECT_EQ(hooks[0]["event"], "UserPromptSubmit");
  EXPECT_EQ(hooks[0]["conversation"], "c1");
  EXPECT_EQ(hooks[0]["denied"], false);
  EXPECT_TRUE(hooks[0]["injected"].is_number()) << hooks[0];
  EXPECT_EQ(all_.find("sesame"), std::string::npos) << all_;
  // The log line of a request is written after its answer was sent.
  const auto requests = Logged("request", [&] {
    ask();
    running_->Stop();
  });
  ASSERT_FALSE(requests.empty()) << all_;
  EXPECT_EQ(requests[0]["route"], "/v1/hooks");
  EXPECT_EQ(requests[0]["status"], 200);
  EXPECT_EQ(all_.find("sesame"), std::string::npos) << all_;
}

TEST_F(OpenPortsTest, WithoutAnyGoodPolicyNothingIsSaidToBeInForce) {
  directory_.Write("none.json", "{}");
  const auto refused = Logged(
      "the policy file is refused, and there was no good one before: "
      "until it is mended hooks are answered with 503",
      [&] {
        Start([&](SidecarSettings& settings) {
          settings.policy = directory_.path() + "/none.json";
          settings.data_directory = directory_.path() + "/fresh";
        });
        EXPECT_TRUE(Until([&] { return !AskAdmin("/v1/policy").body.value("error", "").empty(); }));
        running_->Stop();
      });
  EXPECT_EQ(refused.size(), 1u) << all_;
  EXPECT_EQ(all_.find("last good"), std::string::npos) << all_;
}

TEST_F(OpenPortsTest, OnLoopbackTheAdminPortKnowsItsNames) {
  EXPECT_EQ(AdminStatus("localhost:7438"), 200);
  EXPECT_EQ(AdminStatus("evil.example"), 421);
  Start([](SidecarSettings& settings) { settings.admin = "0.0.0.0:0"; });
  EXPECT_EQ(AdminStatus("10.1.2.3:7438"), 200) << "a pod's: probes and scrapes name its address";
}

}  // namespace
}  // namespace sidecar
