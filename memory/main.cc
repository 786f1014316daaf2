// agent-memory-server: log, config, build, run, drain.
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <string_view>

#include "lib/api/operations/openapi.h"
#include "lib/api/server_report.h"
#include "lib/base/process/log.h"
#include "lib/base/process/shutdown.h"
#include "memory/commands/migrate_command.h"
#include "memory/commands/move_command.h"
#include "memory/running_server.h"
#include "memory/server_engine.h"
#include "memory/sqlite/engine/schema_guard.h"

namespace {

constexpr int kVolumeInUse = 75;  // sysexits: a temporary failure; the holder may go
constexpr rlim_t kManyFiles = 65'536;

// Each open tenant has some ten files; shells and old runtimes set the limit to 1,024.
void AllowManyFiles() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= kManyFiles) return;
  files.rlim_cur = std::min(files.rlim_max, kManyFiles);
  setrlimit(RLIMIT_NOFILE, &files);  // on an error the old limit stays
}

volatile std::sig_atomic_t interrupted = 0;

// Ends gracefully at the first signal, immediately at a second one.
int RunMoveCommand(const std::vector<std::string>& words) {
  struct sigaction once {};
  once.sa_handler = [](int) { interrupted = 1; };
  once.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &once, nullptr);
  const memory::MoveHost host = {
      memory::ServerProgram(),
      [](const base::Settings& settings, const std::string& tenant, bool make) {
        return memory::OpenUnservedMemory(memory::ReadServerSettings(settings), base::SystemClock(),
                                          tenant, make);
      },
      base::SystemClock(), [] { return interrupted != 0; }};
  const auto run = words[0] == "migrate" ? memory::RunMigrate : memory::RunMove;
  return run(host, words, base::Environment(), std::cout, std::cerr, isatty(STDERR_FILENO) == 1);
}

}  // namespace

int main(int argc, char** argv) {
  // Otherwise each thread gets its own arena, which keeps the memory of its largest answer.
  mallopt(M_ARENA_MAX, 2);
  AllowManyFiles();
  base::SetLogProgram(memory::ServerProgram().name);
  if (argc > 1 && (memory::IsMoveCommand(argv[1]) || std::string_view(argv[1]) == "migrate"))
    return RunMoveCommand({argv + 1, argv + argc});
  if (argc > 1 && std::string_view(argv[1]) == "openapi") {
    std::cout << base::DumpJson(api::OpenApiDocument(AGENT_MEMORY_VERSION)) << "\n";
    return std::cout.flush() ? 0 : 1;
  }
  base::BlockSignals();

  base::Invocation invocation = base::ReadCommandLine(
      memory::ServerProgram(), std::vector<std::string>(argv, argv + argc), base::Environment());
  if (!invocation.run) {
    std::fputs(invocation.output.c_str(), invocation.exit_code == 0 ? stdout : stderr);
    return invocation.exit_code;
  }
  memory::ServerSettings settings = memory::ReadServerSettings(invocation.settings);
  base::StartLog(invocation);
  if (settings.aegis && !settings.aegis->warning.empty())
    base::LogWarn("settings of another program are in the environment",
                  {{"reason", settings.aegis->warning}});
  settings.store.on_sync_failure = [](const base::Error& error) {
    base::RequestShutdown(74, error.message);
  };

  auto server = memory::RunningServer::Start(settings, base::SystemClock());
  if (!server) {
    std::fprintf(stderr, "agent-memory-server: %s\n", server.error().message.c_str());
    if (base::ShutdownExitCode() != 0) return base::ShutdownExitCode();  // a failed sync
    if (server.error().code == base::Code::kConflict) return kVolumeInUse;
    return memory::RefuseNewerSchemas(settings.data_dir) ? 1 : api::kNewerSchemaExitCode;
  }
  malloc_trim(0);  // what the start used, such as a new file's pages, goes back to the system
  base::LogInfo("listening",
                {{"api", (*server)->api_address()}, {"admin", (*server)->admin_address()}});
  if (!(*server)->aegis_address().empty())
    base::LogInfo("the AEGIS memory service listens", {{"api", (*server)->aegis_address()}});
  base::LogInfo(
      "sidecars and people (agent-memory) talk to api (docs/memory-api.md); admin has /readyz "
      "and /metrics");
  if (settings.insecure)
    base::LogWarn(
        "callers are not authenticated: every client that reaches the port reads and writes "
        "everything");

  base::WaitForShutdown();
  (*server)->Stop();
  return base::ShutdownExitCode();
}
