// Ends a program: SIGTERM or SIGINT requests a graceful stop, a second signal exits at once.
#pragma once

#include <string_view>

namespace base {

// Call first in main. Blocks SIGTERM, SIGINT and SIGUSR2 for this thread and the threads that it
// starts; ignores SIGPIPE.
void BlockSignals();
// Waits for SIGTERM, SIGINT or RequestShutdown. Afterwards a further signal exits with 130.
void WaitForShutdown();
// Ends WaitForShutdown from any thread; the program exits with `exit_code` after draining.
void RequestShutdown(int exit_code, std::string_view reason);
int ShutdownExitCode();  // 0, or the code of RequestShutdown

}  // namespace base
