// How a program ends: SIGTERM or SIGINT asks for a graceful stop, a second one exits at once.
#pragma once

#include <string_view>

namespace base {

// Blocks SIGTERM, SIGINT and SIGPIPE for this thread and those it starts: first thing in main.
void BlockSignals();
// Waits for SIGTERM or SIGINT, or for RequestShutdown. From then on a further signal exits with
// 130.
void WaitForShutdown();
// Ends WaitForShutdown from any thread; the program exits with `exit_code` after draining.
void RequestShutdown(int exit_code, std::string_view reason);
int ShutdownExitCode();  // 0, or what RequestShutdown said

}  // namespace base
