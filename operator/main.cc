// The operator in five steps: signals and log, settings, build, run, drain. `render`, `explain` and
// `canary` are separate programs in this binary.
#include <malloc.h>

#include <iostream>

#include "lib/base/process/log.h"
#include "lib/base/process/shutdown.h"
#include "operator/commands/commands.h"
#include "operator/operator_settings.h"
#include "operator/running_operator.h"

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv, argv + argc);
  if (arguments.size() > 1 && arguments[1] == "render")
    return controller::RunRender({arguments.begin() + 2, arguments.end()}, std::cout, std::cerr);
  if (arguments.size() > 1 && arguments[1] == "explain")
    return controller::RunExplain({arguments.begin() + 2, arguments.end()}, std::cout, std::cerr);
  if (arguments.size() > 1 && arguments[1] == "canary")
    return controller::RunCanary({arguments.begin() + 2, arguments.end()}, std::cout, std::cerr);

  // glibc keeps the freed memory of a list in the arena of its thread, so arenas are few. With only
  // one the workers would wait for each other most of the time.
  mallopt(M_ARENA_MAX, 4);
  mallopt(M_MMAP_THRESHOLD, 128 << 10);
  mallopt(M_TRIM_THRESHOLD, 256 << 10);
  base::BlockSignals();
  base::SetLogProgram("agent-memory-operator");

  const base::Invocation invocation =
      base::ReadCommandLine(controller::OperatorProgram(), arguments, base::Environment());
  if (!invocation.run) {
    (invocation.exit_code == 0 ? std::cout : std::cerr) << invocation.output;
    return invocation.exit_code;
  }
  base::StartLog(invocation);

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
