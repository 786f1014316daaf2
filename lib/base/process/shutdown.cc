// The main thread waits for signals with sigwait; the only signal handler is the one that exits at
// the second signal.
#include "lib/base/process/shutdown.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <mutex>

#include "lib/base/process/log.h"

namespace base {
namespace {

std::atomic<int> exit_code{0};
std::atomic<bool> requested{false};

sigset_t StopSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

}  // namespace

void BlockSignals() {
  sigset_t set = StopSignals();
  sigaddset(&set, SIGUSR2);  // RequestShutdown wakes the main thread with it
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

void WaitForShutdown() {
  sigset_t set = StopSignals();
  sigaddset(&set, SIGUSR2);
  int signal_number = 0;
  while (!requested && sigwait(&set, &signal_number) == 0) {
    if (signal_number != SIGUSR2) break;
  }
  LogInfo("stopping", {{"signal", signal_number}, {"exit_code", exit_code.load()}});
  // A further signal exits at once. The default action would do, but with another exit code.
  struct sigaction action {};
  action.sa_handler = [](int) { _exit(130); };
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
  sigset_t stop = StopSignals();
  pthread_sigmask(SIG_UNBLOCK, &stop, nullptr);
}

void RequestShutdown(int code, std::string_view reason) {
  if (requested.exchange(true)) return;
  exit_code = code;
  LogError("shutdown requested", {{"reason", reason}});
  kill(getpid(), SIGUSR2);
}

int ShutdownExitCode() { return exit_code; }

}  // namespace base
