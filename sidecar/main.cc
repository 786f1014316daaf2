// agent-memory-sidecar: log, config, build, run, drain.
#include <malloc.h>
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <iostream>

#include "lib/base/process/file.h"
#include "lib/base/process/log.h"
#include "lib/base/process/shutdown.h"
#include "lib/http/client/client.h"
#include "sidecar/commands/commands.h"
#include "sidecar/commands/mcp_stdio.h"
#include "sidecar/running_sidecar.h"

namespace {

constexpr int kVolumeInUse = 75;  // sysexits: temporary failure
constexpr int64_t kLockSliceMs = 500;

bool StopRequested() {
  sigset_t pending;
  sigemptyset(&pending);
  sigpending(&pending);
  return sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1;
}

// Waits in slices, so that a signal ends the wait while another process holds the lock.
base::Result<base::DirectoryLock> AcquireLock(const std::string& directory, int64_t wait_ms) {
  RETURN_IF_ERROR(base::MakeDirectories(directory));
  while (true) {
    auto lock = base::DirectoryLock::Acquire(directory, std::min(wait_ms, kLockSliceMs));
    wait_ms -= kLockSliceMs;
    if (lock || lock.error().code != base::Code::kConflict || wait_ms <= 0 || StopRequested())
      return lock;
  }
}

// The sidecar shares the memory of the user's pod: few malloc arenas for many threads, and large
// blocks return to the system at once.
void KeepMemorySmall() {
  mallopt(M_ARENA_MAX, 2);
  mallopt(M_MMAP_THRESHOLD, 128 << 10);
  mallopt(M_TRIM_THRESHOLD, 256 << 10);
}

int Fail(int code, const base::Error& error) {
  std::fprintf(stderr, "agent-memory-sidecar: %s\n", error.message.c_str());
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  // A stateless pipe to a running sidecar, which keeps the default action of signals.
  if (argc > 1 && std::string_view(argv[1]) == "mcp") {
    base::SetLogProgram(sidecar::SidecarProgram().name);
    return sidecar::RunMcpStdio({argv + 2, argv + argc}, std::cin, std::cout);
  }
  if (argc > 1 && std::string_view(argv[1]) == "check") {
    return sidecar::RunCheck({argv + 2, argv + argc}, std::cin, std::cout, std::cerr);
  }
  if (argc > 1 && std::string_view(argv[1]) == "await")
    return sidecar::RunAwait({argv + 2, argv + argc}, std::cerr);
  if (argc > 1 && std::string_view(argv[1]) == "replay")
    return sidecar::RunReplay({argv + 2, argv + argc}, std::cout, std::cerr);
  base::BlockSignals();
  KeepMemorySmall();
  base::SetLogProgram(sidecar::SidecarProgram().name);

  const base::Invocation invocation = base::ReadCommandLine(
      sidecar::SidecarProgram(), std::vector<std::string>(argv, argv + argc), base::Environment());
  if (!invocation.run) {
    std::fputs(invocation.output.c_str(), invocation.exit_code == 0 ? stdout : stderr);
    return invocation.exit_code;
  }
  base::StartLog(invocation);
  const auto settings = sidecar::ReadSidecarSettings(invocation.settings);

  http::InitializeClientThread();
  const auto lock = AcquireLock(settings.data_directory, settings.lock_wait_ms);
  if (!lock)
    return Fail(lock.error().code == base::Code::kConflict ? kVolumeInUse : 1, lock.error());
  auto running = sidecar::RunningSidecar::Start(settings, base::SystemClock());
  if (!running) return Fail(1, running.error());

  base::LogInfo("listening",
                {{"api", (*running)->api_address()}, {"admin", (*running)->admin_address()}});
  base::LogInfo(
      "agents post hook events to api (docs/agents) and read memory there (docs/mcp.md); "
      "admin has /readyz, /metrics and /v1/status");
  base::WaitForShutdown();
  (*running)->Stop();
  return base::ShutdownExitCode();
}
