// mirror: the memories of a project as Markdown files in a folder, both ways.
#include <chrono>
#include <filesystem>
#include <ostream>
#include <thread>

#include "client/commands/runs.h"
#include "client/laptop/project_files.h"
#include "client/laptop/repository.h"
#include "client/laptop/up_detached.h"
#include "client/mirror/mirror_sync.h"

namespace client {
namespace {

namespace fs = std::filesystem;
using base::Code;
using base::Error;
using base::Json;
using base::Result;
using base::Status;

constexpr int64_t kMirrorStartMs = 20'000, kMirrorLockMs = 10'000;
constexpr std::chrono::seconds kLookAgain{5};

struct Mirrored {
  std::string project, server;
};

// The project, and the server of this machine's memory, which is started.
Result<Mirrored> FindMirrored(const Call& call, const Home& home) {
  Mirrored found{call.Text("project"), ""};
  if (found.project.empty()) {
    std::error_code error;
    ASSIGN_OR_RETURN(const auto repository, RepositoryOf(fs::current_path(error).string()));
    found.project = ProjectFiles(home).Find(repository.root).name;
  }
  const auto control = ReachOrStart(home, kMirrorStartMs);
  if (!control && control.error().code == Code::kNotFound && home.stopped()) return StoppedByDown();
  if (!control) return control.error();
  ASSIGN_OR_RETURN(const Json status, control->Status());
  found.server = base::StringAt(status, {"server", "url"});
  return found;
}

// Makes the folder of a first sync. It must be neither memory's own nor one that holds it.
Result<std::string> FolderOf(const std::string& given, const Home& home) {
  std::error_code error;
  const fs::path whole = fs::absolute(given, error).lexically_normal();
  fs::create_directories(whole, error);
  if (error) return Error{Code::kInvalid, given + " cannot be made: " + error.message()};
  const std::string folder = fs::canonical(whole, error).string();
  const std::string own = fs::weakly_canonical(home.folder(), error).string();
  if ((folder + "/").starts_with(own + "/") || (own + "/").starts_with(folder + "/"))
    return Error{Code::kInvalid, folder + " holds this machine's memory: name another folder"};
  return folder;
}

Json Encode(const std::string& project, const MirrorState& state, const MirrorReport& report) {
  return {{"project", project},        {"folder", state.folder},    {"files", state.files.size()},
          {"written", report.written}, {"removed", report.removed}, {"created", report.created},
          {"changed", report.changed}, {"hidden", report.hidden},   {"problems", report.problems}};
}

int Say(Call& call, const std::string& project, const MirrorState& state,
        const MirrorReport& report) {
  if (call.json()) {
    call.out << base::DumpJson(Encode(project, state, report)) << std::endl;
  } else {
    call.out << Inert(state.folder) << ": " << state.files.size() << " memories of project "
             << Inert(project) << "; files written " << report.written << ", removed "
             << report.removed << "; memories made " << report.created << ", changed "
             << report.changed << ", hidden " << report.hidden << std::endl;
  }
  for (const std::string& problem : report.problems) call.err << Inert(problem) << "\n";
  return report.problems.empty() ? kOk : kFailed;
}

// One sync; `state` is stored whatever happens.
Result<MirrorReport> SyncOnce(const Call& call, const Home& home, const Mirrored& mirrored,
                              MirrorState& state) {
  const MirrorStates states(home);
  ASSIGN_OR_RETURN(const auto lock, states.Lock(mirrored.project, kMirrorLockMs));
  ASSIGN_OR_RETURN(MirrorState now, states.Load(mirrored.project));
  const std::string given = call.arguments.empty() ? "" : call.arguments[0];
  if (now.folder.empty() && given.empty())
    return Error{Code::kInvalid, "project " + mirrored.project +
                                     " has no mirror: name a folder, 'agent-memory mirror DIR'"};
  if (now.folder.empty()) {
    ASSIGN_OR_RETURN(now.folder, FolderOf(given, home));
  } else if (!given.empty()) {
    std::error_code error;
    const std::string asked = fs::weakly_canonical(fs::absolute(given, error), error).string();
    if (asked != now.folder)
      return Error{Code::kInvalid, "the mirror of project " + mirrored.project + " is " +
                                       now.folder + ": 'agent-memory mirror --off' ends it"};
  }
  if (call.settings.Bool("auto")) now.automatic = true;
  ASSIGN_OR_RETURN(const MirrorFolder folder, MirrorFolder::Open(now.folder));
  http::ClientOptions options;
  options.base_url = mirrored.server;
  ASSIGN_OR_RETURN(const auto client, http::MakeClient(std::move(options)));
  const MemoryCalls memory(*client, mirrored.server);
  auto report = SyncMirror(
      memory, folder,
      {mirrored.project, call.settings.Bool("take-in"), call.settings.Bool("hide-many")}, now);
  // A refusal leaves no mirror behind.
  if (report || report.error().code != Code::kInvalid || !now.files.empty())
    RETURN_IF_ERROR(states.Save(mirrored.project, now));
  state = std::move(now);
  return report;
}

int EndMirror(Call& call, const Home& home) {
  std::string project = call.Text("project");
  if (project.empty()) {
    std::error_code error;
    const auto repository = RepositoryOf(fs::current_path(error).string());
    if (!repository) return call.Fail(repository.error());
    project = ProjectFiles(home).Find(repository->root).name;
  }
  const MirrorStates states(home);
  const auto state = states.Load(project);
  if (state && state->folder.empty()) {
    call.out << "project " << Inert(project) << " has no mirror\n";
    return kOk;
  }
  states.Forget(project);
  call.out << "the mirror of project " << Inert(project)
           << " ends; its files stay, and the memories too\n";
  return kOk;
}

}  // namespace

int Mirror(Call& call) {
  const auto home = Home::Find(call.settings);
  if (!home) return call.Fail(home.error());
  if (call.settings.Bool("off")) return EndMirror(call, *home);
  const auto mirrored = FindMirrored(call, *home);
  if (!mirrored) return call.Fail(mirrored.error());
  const bool watch = call.settings.Bool("watch");
  std::vector<std::string> told;
  while (true) {
    MirrorState state;
    const auto report = SyncOnce(call, *home, *mirrored, state);
    if (!report) return call.Fail(report.error());
    if (!watch) return Say(call, mirrored->project, state, *report);
    // The same problems are told once.
    if (!report->Quiet() && (report->problems.empty() || report->problems != told))
      Say(call, mirrored->project, state, *report);
    told = report->problems;
    std::this_thread::sleep_for(kLookAgain);
  }
}

}  // namespace client
