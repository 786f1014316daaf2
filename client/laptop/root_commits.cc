// Runs git by argv, without the user's GIT_* variables, prompts and fetches of missing objects.
#include "client/laptop/root_commits.h"

#include <algorithm>
#include <mutex>

#include "client/programs/child.h"

namespace client {
namespace {

constexpr int64_t kGitMs = 5'000;
constexpr size_t kMostCommits = 1'000;  // of unrelated histories in one repository

// The lines of git's output; nullopt: it failed.
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

}  // namespace

std::optional<std::vector<std::string>> RootCommits(const std::string& root) {
  const auto shallow = Git(root, {"rev-parse", "--is-shallow-repository"});
  if (!shallow || shallow->size() != 1 || (*shallow)[0] != "false") return std::nullopt;
  auto commits = Git(root, {"rev-list", "--max-parents=0", "--all"});
  if (!commits || !std::all_of(commits->begin(), commits->end(), IsCommit)) return std::nullopt;
  std::sort(commits->begin(), commits->end());
  return commits;
}

std::optional<bool> HasCommit(const std::string& root, const std::vector<std::string>& commits) {
  for (const std::string& commit : commits)
    if (IsCommit(commit) && Git(root, {"cat-file", "-e", commit + "^{commit}"})) return true;
  const auto found = RootCommits(root);
  if (!found) return std::nullopt;
  return std::find_first_of(found->begin(), found->end(), commits.begin(), commits.end()) !=
         found->end();
}

}  // namespace client
