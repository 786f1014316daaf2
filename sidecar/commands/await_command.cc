// Polls /readyz of the admin port; the running sidecar defines readiness.
#include <algorithm>
#include <chrono>
#include <ostream>
#include <thread>

#include "lib/base/process/clock.h"
#include "lib/base/process/config.h"
#include "lib/http/client/client.h"
#include "sidecar/commands/commands.h"

namespace sidecar {
namespace {

constexpr int kNotReady = 1, kWrongUsage = 64;  // 64: sysexits
constexpr int64_t kAgainMs = 100, kAnswerMs = 3'000;

const base::Program& AwaitProgram() {
  static const base::Program program = {
      "agent-memory-sidecar await",
      "Waits until a running sidecar is ready.",
      {{"url", base::Setting::Kind::kString, "http://127.0.0.1:7438", "its admin port"},
       {"within", base::Setting::Kind::kDuration, "60s", "time limit"}},
      "Exit codes: 0 it is ready, 1 it is not, 64 bad flags.\nExample:\n  agent-memory-sidecar "
      "await --within 60s\n"};
  return program;
}

// The reason why the sidecar is not ready; empty: it is ready.
std::string Ask(http::Client& client, int64_t left_ms) {
  http::ClientRequest request;
  request.target = "/readyz";
  request.timeout_ms = std::min(kAnswerMs, left_ms);
  const auto answer = client.Send(request);
  if (!answer) return answer.error().message;
  if (answer->status == 200) return "";
  return "it answers " + std::to_string(answer->status) + ": " + answer->body;
}

}  // namespace

int RunAwait(const std::vector<std::string>& arguments, std::ostream& err) {
  std::vector<std::string> argv = {AwaitProgram().name};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  const base::Invocation invocation = base::ReadCommandLine(AwaitProgram(), argv, {});
  if (!invocation.run) {
    err << invocation.output;
    return invocation.exit_code;
  }
  http::ClientOptions options;
  options.base_url = invocation.settings.Text("url");
  auto client = http::MakeClient(options);
  if (!client) {
    err << AwaitProgram().name << ": --url: " << client.error().message << "\n";
    return kWrongUsage;
  }
  const int64_t within_ms = invocation.settings.Milliseconds("within");
  const int64_t end_ms = base::SystemClock().MonotonicMs() + within_ms;
  while (true) {
    const int64_t left_ms = end_ms - base::SystemClock().MonotonicMs();
    const std::string why = Ask(**client, std::max<int64_t>(left_ms, kAgainMs));
    if (why.empty()) return 0;
    if (left_ms <= kAgainMs) {
      err << AwaitProgram().name << ": the sidecar at " << options.base_url
          << " is not ready after " << within_ms << " ms: " << why << "\n";
      return kNotReady;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(kAgainMs));
  }
}

}  // namespace sidecar
