// The operator in five steps: signals and log, settings, build, run, drain. `render`,
// `explain` and `canary` are programs of their own inside it.
#include <malloc.h>

#include <iostream>

#include "lib/base/log.h"
#include "lib/base/shutdown.h"
#include "lib/telemetry/trace_export.h"
#include "operator/canary.h"
#include "operator/explain.h"
#include "operator/render.h"
#include "operator/running_operator.h"

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv, argv + argc);
  if (arguments.size() > 1 && arguments[1] == "render")
    return controller::RunRender({arguments.begin() + 2, arguments.end()}, std::cout, std::cerr);
  if (arguments.size() > 1 && arguments[1] == "explain")
    return controller::RunExplain({arguments.begin() + 2, arguments.end()}, std::cout, std::cerr);
  if (arguments.size() > 1 && arguments[1] == "canary")
    return controller::RunCanary({arguments.begin() + 2, arguments.end()}, std::cout, std::cerr);

  // Memory that a list took stays in the arena of its thread: few of them. Not one: the workers
  // would wait for each other most of the time.
  mallopt(M_ARENA_MAX, 4);
  mallopt(M_MMAP_THRESHOLD, 128 << 10);
  mallopt(M_TRIM_THRESHOLD, 256 << 10);
  base::BlockSignals();
  base::SetLogProgram("agent-memory-operator");

  const base::Invocation invocation =
      base::ReadCommandLine(controller::OperatorProgram(), arguments, base::Environment());
  if (!invocation.run || !invocation.arguments.empty()) {
    const bool unknown = invocation.run;  // words that are no flags
    (invocation.exit_code == 0 && !unknown ? std::cout : std::cerr)
        << (unknown
                ? "unknown command " + invocation.arguments[0] + "; --help lists what there is\n"
                : invocation.output);
    return unknown ? 64 : invocation.exit_code;
  }
  auto level = base::ParseLevel(invocation.settings.Text("log-level"));
  if (!level) {
    std::cerr << level.error().message << "\n";
    return 64;
  }
  base::SetLogLevel(*level);
  // Sidecars would not start with a bad one.
  const std::string endpoint = invocation.settings.Text("otlp-endpoint");
  if (auto sound = telemetry::CheckTraceOptions({endpoint, "otlp-endpoint", {}, {}}); !sound) {
    std::cerr << sound.error().message << "\n";
    return 64;
  }

  auto running = controller::RunningOperator::Start(invocation.settings);
  if (!running) {
    base::LogError("cannot start", {{"error", running.error().message}});
    return 1;
  }
  base::LogInfo("listening", {{"admin", (*running)->admin_address()},
                              {"webhook", (*running)->webhook_address()}});
  base::WaitForShutdown();
  (*running)->Stop();
  return base::ShutdownExitCode();
}
