// hook, mcp, url: for agents. They find the sidecar of the agent's repository.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <istream>
#include <ostream>
#include <string>

#include "client/commands/runs.h"
#include "client/laptop/home.h"
#include "client/laptop/peer_breaker.h"
#include "client/laptop/repository.h"
#include "client/laptop/starter_policy.h"
#include "client/laptop/up_detached.h"
#include "client/mirror/mirror_state.h"
#include "client/programs/child.h"
#include "lib/base/process/file.h"

namespace client {
namespace {

using base::Code;
using base::Error;
using base::Result;

// The repositories of directories in which agents work, for hooks that come when the directory is
// gone. One small file for a directory, named after its path. Bounded, and only a memory: a lost
// entry costs nothing but that.
class KnownDirectories {
 public:
  explicit KnownDirectories(const Home& home) : home_(home) {}
  // Errors are ignored.
  void Keep(const std::string& directory, const std::string& root) const;
  std::string Find(const std::string& directory) const;  // empty: not known

 private:
  std::string File(const std::string& directory) const;
  const Home home_;
};

constexpr size_t kMostFiles = 1'000, kMostBytes = 16 << 10;

std::string KnownDirectories::File(const std::string& directory) const {
  return home_.File("directories/" + RepositoryKey(directory));
}

void KnownDirectories::Keep(const std::string& directory, const std::string& root) const {
  const std::string file = File(directory);
  // A home that does not exist yet is made by `up`, with its mode.
  if (Find(directory) == root || access(home_.folder().c_str(), W_OK) != 0) return;
  std::error_code error;
  const std::filesystem::path folder = home_.File("directories");
  if (!base::MakeDirectories(folder.string())) return;
  size_t files = 0;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error))
    ++files;
  if (files >= kMostFiles) std::filesystem::remove_all(folder, error);
  if (files >= kMostFiles && !base::MakeDirectories(folder.string())) return;
  [[maybe_unused]] const auto kept = base::ReplaceFile(file, root);
}

std::string KnownDirectories::Find(const std::string& directory) const {
  return base::ReadFile(File(directory), kMostBytes).value_or("");
}

// In sum below the hook timeout that `setup` writes.
constexpr int64_t kStartMs = 8'000, kUseMs = 6'000, kHookMs = 6'000;
constexpr int64_t kBusyProbeMs =
    2'000;  // of a peer that has work: a hook of a busy machine is not lost
constexpr int64_t kLongUseMs = 60'000, kStillUsedMs = 60'000;
constexpr size_t kMostEventBytes = 64 << 20;
constexpr int kBlock = 2;  // exit code by which a hook keeps a tool from running

// The directory where the agent started, else the current one: the agent may have changed its
// directory. A current directory that was removed has no name; the shell may still know it.
std::string DirectoryHere() {
  const char *project = std::getenv("CLAUDE_PROJECT_DIR"), *shell = std::getenv("PWD");
  if (project != nullptr && *project == '/') return project;
  std::error_code error;
  const auto here = std::filesystem::current_path(error);
  if (!error) return here.string();
  return shell != nullptr && *shell == '/' ? shell : "/";
}

// The repository of a directory. Of one that is gone (a worktree that was removed before its
// session ended) what was known of it, else that of its nearest parent that exists.
Result<std::string> RootHere(const Home& home) {
  const std::string directory = DirectoryHere();
  const KnownDirectories known(home);
  if (const auto repository = RepositoryOf(directory)) {
    known.Keep(directory, repository->root);
    return repository->root;
  }
  if (std::string root = known.Find(directory); !root.empty()) return root;
  std::error_code error;
  std::filesystem::path at = std::filesystem::path(directory).lexically_normal();
  while (at.has_relative_path() && !std::filesystem::is_directory(at, error)) at = at.parent_path();
  ASSIGN_OR_RETURN(const Repository repository, RepositoryOf(at.string()));
  return repository.root;
}

Result<Project> ProjectHere(const Home& home, int64_t use_ms) {
  ASSIGN_OR_RETURN(const std::string root, RootHere(home));
  ASSIGN_OR_RETURN(const ControlClient control, ReachOrStart(home, kStartMs));
  return control.Use(root, "", use_ms);
}

// The project of a hook, which must not wait for a hung supervisor. One that is silent for long is
// ended, and a new one is started for the next hook.
Result<Project> ProjectOfHook(const Home& home) {
  const PeerBreaker breaker(home, "supervisor");
  ASSIGN_OR_RETURN(const std::string root, RootHere(home));
  auto control = ControlClient::Reach(home, breaker.probe_ms());
  if (!control && control.error().code == Code::kTimeout) {
    const auto running = home.FindRunning();
    if (running && !breaker.is_open() && IsBusy(running->pid))
      control = ControlClient::Reach(home, kBusyProbeMs);
  }
  if (!control && control.error().code == Code::kTimeout) {
    breaker.NoteSilent();
    if (!breaker.is_long_silent() || home.stopped()) return control.error();
    RETURN_IF_ERROR(EndHungSupervisor(home));
    RETURN_IF_ERROR(StartInBackground(home));
    return Error{Code::kUnavailable, "memory did not answer and is started again"};
  }
  breaker.NoteAnswer();
  if (!control) return ProjectHere(home, kUseMs);  // it comes up, or is to be started
  return control->Use(root, "", kUseMs);
}

std::string ReadEvent(std::istream& in) {
  std::string event;
  char bytes[1 << 16];
  while (in && event.size() <= kMostEventBytes) {
    in.read(bytes, sizeof bytes);
    event.append(bytes, static_cast<size_t>(in.gcount()));
  }
  return event;
}

// Fails within a short wait if the sidecar is hung; the supervisor starts it again.
base::Status Probe(const Home& home, const Project& project, http::Client& client) {
  const PeerBreaker breaker(home, RepositoryKey(project.root));
  http::ClientRequest request;
  request.target = "/health";
  request.timeout_ms = breaker.probe_ms();
  auto answer = client.Send(request);
  if (!answer && answer.error().code == Code::kTimeout && !breaker.is_open() &&
      IsBusy(project.pid)) {
    request.timeout_ms = kBusyProbeMs;
    answer = client.Send(request);
  }
  if (!answer && answer.error().code == Code::kTimeout) {
    breaker.NoteSilent();
    return Error{Code::kTimeout, "the sidecar does not answer; memory starts it again"};
  }
  breaker.NoteAnswer();
  return {};
}

Result<std::string> Tell(const Home& home, const Project& project, std::string event) {
  http::ClientOptions options;
  options.base_url = project.url;
  ASSIGN_OR_RETURN(const auto client, http::MakeClient(std::move(options)));
  RETURN_IF_ERROR(Probe(home, project, *client));
  http::ClientRequest request;
  request.method = "POST";
  request.target = "/v1/hooks";
  request.timeout_ms = kHookMs;
  request.headers.Set("Content-Type", "application/json");
  request.body = std::move(event);
  ASSIGN_OR_RETURN(const auto answer, client->Send(request));
  if (answer.status == 200) return answer.body;
  const auto body = base::ParseJson(answer.body);
  return Error{http::CodeOf(answer.status),
               "the sidecar answered " + std::to_string(answer.status) +
                   (body && body->is_object() ? ": " + base::StringAt(*body, {"error"}) : "")};
}

// A missing policy denies nothing; an unreadable one may deny calls.
bool MayDeny(const Home& home) {
  const auto policy = base::ReadFile(home.File("policy.json"), 1 << 20);
  return policy ? Denies(*policy) : policy.error().code != Code::kNotFound;
}

// The exit code for an event without an answer of the sidecar. Blocks a tool call only if the
// policy may deny calls: unavailable memory alone must not stop an agent.
int Unanswered(Call& call, const Home& home, const Error& why) {
  if (call.arguments[0] == "PreToolUse" && MayDeny(home)) {
    call.err << "tool blocked: " << home.File("policy.json")
             << " denies some calls, and no sidecar judged this one: " << why.message << "\n";
    return kBlock;
  }
  if (home.stopped()) return kOk;
  call.err << "agent-memory: this was not remembered: " << Inert(why.message) << "\n";
  return kFailed;
}

// A project that has a mirror syncs it in the background when a session begins or ends.
void SyncMirrorOf(const Home& home, const std::string& project, const std::string& event) {
  if (event != "SessionStart" && event != "SessionEnd") return;
  if (!MirrorStates(home).IsAutomatic(project)) return;
  // Ignores errors: the next session tries again.
  [[maybe_unused]] const auto started =
      RunInBackground(home, {"mirror", "--project", project}, home.File("mirror.log"));
}

}  // namespace

int Hook(Call& call) {
  const auto home = Home::Find(call.settings);
  if (!home) return call.Fail(home.error());
  std::string event = ReadEvent(call.in);
  if (event.size() > kMostEventBytes)
    return Unanswered(call, *home, {Code::kTooLarge, "an event has at most 64 MiB"});
  const auto project = ProjectOfHook(*home);
  if (!project) return Unanswered(call, *home, project.error());
  const auto answer = Tell(*home, *project, std::move(event));
  if (!answer) return Unanswered(call, *home, answer.error());
  SyncMirrorOf(*home, project->name, call.arguments[0]);
  if (*answer != "{}") call.out << *answer << "\n";
  return kOk;
}

int PrintUrl(Call& call) {
  const auto home = Home::Find(call.settings);
  if (!home) return call.Fail(home.error());
  const auto project = ProjectHere(*home, kLongUseMs);
  if (!project && project.error().code == Code::kNotFound && home->stopped())
    return call.Fail(StoppedByDown());
  if (!project) return call.Fail(project.error());
  if (call.settings.Bool("server")) {
    const auto control = ControlClient::Reach(*home);
    const auto status = control ? control->Status() : control.error();
    if (!status) return call.Fail(status.error());
    call.out << base::StringAt(*status, {"server", "url"}) << "\n";
    return kOk;
  }
  call.out << project->url << "\n";
  return kOk;
}

int Mcp(Call& call) {
  const auto home = Home::Find(call.settings);
  if (!home) return call.Fail(home.error());
  const auto sidecar = FindProgram("agent-memory-sidecar");
  if (!sidecar) return call.Fail(sidecar.error());
  const auto project = ProjectHere(*home, kLongUseMs);
  if (!project) return call.Fail(project.error());
  ChildOptions options{{*sidecar, "mcp", "--stdio", "--url", project->url}, CleanEnvironment()};
  options.errors_only = options.keep_input = true;
  options.on_line = [&](std::string_view line) { call.err << line << std::endl; };
  const auto pipe = Child::Start(std::move(options));
  if (!pipe) return call.Fail(pipe.error());
  // Keeps the sidecar in use for the next call of the MCP client: the supervisor ends idle ones.
  while (!(*pipe)->WaitForEnd(kStillUsedMs)) {
    [[maybe_unused]] const auto still = ProjectHere(*home, kLongUseMs);
  }
  return (*pipe)->exit_code().value_or(kFailed);
}

}  // namespace client
