// Stores project.json in one folder per repository.
#include "client/laptop/project_files.h"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "client/laptop/repository.h"
#include "client/programs/child.h"
#include "lib/base/process/file.h"

namespace client {
namespace {

constexpr int64_t kGitMs = 5'000;
constexpr size_t kMostCommits = 1'000;  // of unrelated histories in one repository

// Runs git by argv within a time limit, without the user's GIT_* variables, prompts and fetches of
// missing objects. → the lines of its output; nullopt: it failed.
std::optional<std::vector<std::string>> Git(const std::string& root,
                                            std::vector<std::string> words) {
  const auto git = FindProgram("git");
  if (!git) return std::nullopt;
  std::vector<std::string> argv = {*git, "-C", root, "-c", "core.fsmonitor=false"};
  argv.insert(argv.end(), words.begin(), words.end());
  ChildOptions options{std::move(argv), CleanEnvironment()};
  for (const char* variable :
       {"GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1"})
    options.environment.push_back(variable);
  std::mutex mutex;
  std::vector<std::string> lines;
  options.on_line = [&](std::string_view line) {
    const std::lock_guard lock(mutex);
    if (lines.size() < kMostCommits) lines.emplace_back(line);
  };
  const auto child = Child::Start(std::move(options));
  if (!child) return std::nullopt;
  const bool ended = (*child)->WaitForEnd(kGitMs);
  (*child)->Stop(0);
  if (!ended || (*child)->exit_code() != 0) return std::nullopt;
  return lines;
}

bool IsCommit(const std::string& line) {
  return line.size() >= 40 && line.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// The root commits of all branches, sorted; empty: no commit yet. nullopt: not known, because git
// is missing, slow, refuses the directory, or the clone is shallow. Call on a long-lived thread
// (see Child).
std::optional<std::vector<std::string>> RootCommits(const std::string& root) {
  const auto shallow = Git(root, {"rev-parse", "--is-shallow-repository"});
  if (!shallow || shallow->size() != 1 || (*shallow)[0] != "false") return std::nullopt;
  auto commits = Git(root, {"rev-list", "--max-parents=0", "--all"});
  if (!commits || !std::all_of(commits->begin(), commits->end(), IsCommit)) return std::nullopt;
  std::sort(commits->begin(), commits->end());
  return commits;
}

// Whether the repository has one of these commits; nullopt as above.
std::optional<bool> HasCommit(const std::string& root, const std::vector<std::string>& commits) {
  for (const std::string& commit : commits)
    if (IsCommit(commit) && Git(root, {"cat-file", "-e", commit + "^{commit}"})) return true;
  const auto found = RootCommits(root);
  if (!found) return std::nullopt;
  return std::find_first_of(found->begin(), found->end(), commits.begin(), commits.end()) !=
         found->end();
}

constexpr size_t kLongestFile = 64 << 10;

KnownProject ReadProject(const std::string& folder) {
  const auto text = base::ReadFile(folder + "/project.json", kLongestFile);
  const auto json = text ? base::ParseJson(*text) : base::Result<base::Json>(text.error());
  if (!json || !json->is_object()) return {};
  KnownProject project{base::StringAt(*json, {"root"}),
                       base::StringAt(*json, {"project"}),
                       base::StringAt(*json, {"address"}),
                       {},
                       folder};
  for (const base::Json& commit : json->value("commits", base::Json::array()))
    if (commit.is_string()) project.commits.push_back(commit.get<std::string>());
  return project;
}

bool HaveOneInCommon(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

}  // namespace

std::vector<KnownProject> ProjectFiles::All() const {
  std::vector<KnownProject> all;
  std::error_code error;
  for (std::filesystem::directory_iterator at(home_.File("projects"), error), end;
       !error && at != end; at.increment(error)) {
    KnownProject project = ReadProject(at->path().string());
    if (!project.name.empty() && !project.root.empty()) all.push_back(std::move(project));
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return all;
}

KnownProject ProjectFiles::New(const std::string& root,
                               const std::vector<KnownProject>& all) const {
  const auto taken = [&](const std::string& name) {
    return std::any_of(all.begin(), all.end(),
                       [&](const auto& other) { return other.name == name; });
  };
  // A folder of an earlier repository in this place stays that one's.
  std::string place = root;
  const auto folder = [&] { return home_.File("projects/" + RepositoryKey(place)); };
  while (!ReadProject(folder()).name.empty()) place += "#";
  KnownProject made{root, ProjectName(root, taken), "", {}, folder()};
  while (taken(made.name)) made.name += "-" + RepositoryKey(place).substr(0, 6);
  return made;
}

KnownProject ProjectFiles::Find(const std::string& root) const {
  const std::vector<KnownProject> all = All();
  // What is no repository has no commits; what git does not know may have them.
  const std::optional<std::vector<std::string>> commits =
      HasOwnGitDirectory(root) ? RootCommits(root) : std::vector<std::string>();
  // Here, by a commit of it; also where git does not know.
  for (const KnownProject& known : all) {
    if (known.root != root || known.commits.empty()) continue;
    if (!commits || HaveOneInCommon(known.commits, *commits)) return known;
  }
  if (commits && !commits->empty()) {
    for (KnownProject known : all) {
      if (known.root == root || !HaveOneInCommon(known.commits, *commits)) continue;
      // Moved, or a clone of one that is still there.
      if (!HasCommit(known.root, known.commits).value_or(false)) known.root = root;
      return known;
    }
  }
  // Here, and without commits until now: before its first commit, or known to an earlier version.
  for (KnownProject known : all) {
    if (known.root != root || !known.commits.empty()) continue;
    known.commits = commits.value_or(std::vector<std::string>());
    return known;
  }
  // An earlier version knew a worktree of a bare repository as a project of its own.
  for (KnownProject known : all) {
    const auto now = RepositoryOf(known.root);
    if (!known.commits.empty() || !now || now->root != root) continue;
    known.root = root;
    known.commits = commits.value_or(std::vector<std::string>());
    return known;
  }
  KnownProject made = New(root, all);
  made.commits = commits.value_or(std::vector<std::string>());
  return made;
}

base::Status ProjectFiles::Keep(const KnownProject& project) const {
  RETURN_IF_ERROR(base::MakeDirectories(project.folder));
  return base::ReplaceFile(project.folder + "/project.json",
                           base::DumpJson({{"root", project.root},
                                           {"project", project.name},
                                           {"address", project.address},
                                           {"commits", project.commits}}));
}

std::string ProjectFiles::ServerAddress() const {
  const auto text = base::ReadFile(home_.File("server.address"), kLongestFile);
  return text && text->starts_with("127.0.0.1:") ? *text : "";
}

void ProjectFiles::KeepServerAddress(const std::string& address) const {
  // Ignores errors: without the file the server only gets another port next time.
  [[maybe_unused]] const auto kept = base::ReplaceFile(home_.File("server.address"), address);
}

}  // namespace client
