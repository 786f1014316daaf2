// Shows that the documented settings file is complete and has the defaults, and that the program
// refuses settings that would expose it, and a volume that another process has locked.
#include "sidecar/sidecar_settings.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/process/file.h"
#include "lib/testing/temporary_directory.h"

namespace sidecar {
namespace {

base::Invocation Read(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "agent-memory-sidecar");
  return base::ReadCommandLine(SidecarProgram(), arguments, {});
}

TEST(SidecarSettings, TheFileInConfigHoldsEveryDefault) {
  const auto from_file = Read({"--config", "config/sidecar.yaml"});
  ASSERT_TRUE(from_file.run) << from_file.output;
  const auto defaults = Read({});
  for (const base::Setting& setting : SidecarProgram().settings) {
    if (setting.kind == base::Setting::Kind::kString) {
      EXPECT_EQ(from_file.settings.Text(setting.name), defaults.settings.Text(setting.name))
          << setting.name;
    }
    EXPECT_TRUE(from_file.settings.IsSet(setting.name))
        << setting.name << " is missing in the file";
  }
  const SidecarSettings a = ReadSidecarSettings(from_file.settings),
                        b = ReadSidecarSettings(defaults.settings);
  EXPECT_EQ(a.lock_wait_ms, b.lock_wait_ms);
  EXPECT_EQ(a.outbox.rows, b.outbox.rows);
  EXPECT_EQ(a.outbox.bytes, b.outbox.bytes);
  EXPECT_EQ(a.recall_timeout_ms, b.recall_timeout_ms);
  EXPECT_EQ(a.drain_timeout_ms, 20'000);
  EXPECT_TRUE(a.allowed_origins.empty());
}

TEST(SidecarSettings, GrowthEndsByDefaultAndForEverIsSaid) {
  constexpr int64_t kDayMs = 24 * 3'600'000;
  const GrowthLimits limits = ReadSidecarSettings(Read({}).settings).growth;
  for (const EvictionClass kind : kEvictionOrder) {
    EXPECT_GT(limits.KeepMs(kind), 0) << NameOf(kind);
    EXPECT_LE(limits.KeepMs(kind), 90 * kDayMs) << NameOf(kind);
  }
  EXPECT_EQ(StateLimit(limits.max_bytes, int64_t{1} << 30), int64_t{512} << 20);
  const GrowthLimits said =
      ReadSidecarSettings(
          Read({"--conversation-keep", "0s", "--injections-keep", "0s", "--max-state", "3Gi"})
              .settings)
          .growth;
  EXPECT_EQ(said.conversations_ms, 0);
  EXPECT_EQ(said.injections_ms, 0);
  EXPECT_EQ(StateLimit(said.max_bytes, 0), int64_t{3} << 30);
}

TEST(SidecarSettings, OnlyLoopbackForTheAgent) {
  SidecarSettings settings;
  settings.admin = "0.0.0.0:7438";
  for (const char* listen : {"127.0.0.1:7437", "127.1.2.3:0", "[::1]:7437", "localhost:1"}) {
    settings.listen = listen;
    EXPECT_TRUE(CheckSidecarSettings(settings)) << listen;
  }
  for (const char* listen :
       {"0.0.0.0:7437", ":7437", "[::]:7437", "10.0.0.1:7437", "nonsense", "example.org:1"}) {
    settings.listen = listen;
    EXPECT_FALSE(CheckSidecarSettings(settings)) << listen;
  }
  EXPECT_EQ(ReadSidecarSettings(Read({}).settings).admin, "127.0.0.1:7438")
      << "until a pod says else";
  EXPECT_FALSE(Read({"--admin", "nowhere"}).run);
}

// Runs the real program, which the build of these tests makes. → the exit code; -1: there is no
// binary.
int RunProgram(const std::vector<std::string>& arguments) {
  const char* folder = getenv("AGENT_MEMORY_BIN");
  const std::string program = std::string(folder ? folder : "") + "/agent-memory-sidecar";
  if (access(program.c_str(), X_OK) != 0) return -1;
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    execv(program.c_str(), argv.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
}

TEST(SidecarProgram, SecondProcessOnAVolumeExitsWith75) {
  testing::TemporaryDirectory directory;
  auto held = base::DirectoryLock::Acquire(directory.path(), 0);
  ASSERT_TRUE(held);
  const int code =
      RunProgram({"--data-dir", directory.path(), "--policy", directory.path() + "/p", "--listen",
                  "127.0.0.1:0", "--admin", "127.0.0.1:0", "--lock-wait", "100ms"});
  EXPECT_EQ(code, 75);
}

TEST(SidecarProgram, BadSettingsExitWith64) {
  const int code = RunProgram({"--listen", "0.0.0.0:1"});
  EXPECT_EQ(code, 64);
  EXPECT_EQ(RunProgram({"--no-such-flag", "1"}), 64);
  EXPECT_EQ(RunProgram({"serve"}), 64);
  EXPECT_EQ(RunProgram({"chekc", "--policy", "p"}), 64);
  EXPECT_EQ(RunProgram({"help"}), 0);
  EXPECT_EQ(RunProgram({"--help"}), 0);
}

}  // namespace
}  // namespace sidecar
