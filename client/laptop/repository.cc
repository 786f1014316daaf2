// Searches the parent directories for .git, like git, without running git.
#include "client/laptop/repository.h"

#include <filesystem>

#include "lib/base/process/file.h"
#include "lib/base/text/digest.h"
#include "lib/base/text/text.h"

namespace client {
namespace {

namespace fs = std::filesystem;
using base::Code;
using base::Error;
using base::Result;

constexpr size_t kLongestName = 100;

// The main repository of a worktree, whose .git is a file "gitdir: <main>/.git/worktrees/<name>".
// Empty: no worktree.
fs::path MainOfWorktree(const fs::path& git_file) {
  const auto text = base::ReadFile(git_file.string(), 16 << 10);
  if (!text) return {};
  std::string_view line = base::Trim(*text);
  constexpr std::string_view kBegin = "gitdir:";
  if (!line.starts_with(kBegin)) return {};
  line = base::Trim(line.substr(kBegin.size()));
  const fs::path gitdir = (git_file.parent_path() / fs::path(line)).lexically_normal();
  const fs::path folder = gitdir.parent_path();
  std::error_code ignored;
  if (folder.filename() != "worktrees" || folder.parent_path().filename() != ".git") return {};
  // The main repository must refer back to the worktree: else the .git file of an unpacked archive
  // could name another repository of the user and get its memories.
  const auto back = base::ReadFile((gitdir / "gitdir").string(), 16 << 10);
  if (!back || !fs::equivalent(gitdir / base::Trim(*back), git_file, ignored)) return {};
  const fs::path main = fs::canonical(folder.parent_path().parent_path(), ignored);
  return ignored ? fs::path() : main;
}

}  // namespace

Result<Repository> RepositoryOf(const std::string& directory) {
  std::error_code error;
  const fs::path start = fs::canonical(directory, error);
  if (error || !fs::is_directory(start, error))
    return Error{Code::kNotFound, "there is no directory " + directory};
  for (fs::path at = start;; at = at.parent_path()) {
    const fs::path git = at / ".git";
    if (fs::is_directory(git, error)) return Repository{at.string(), true};
    if (fs::is_regular_file(git, error)) {
      const fs::path main = MainOfWorktree(git);
      return Repository{main.empty() ? at.string() : main.string(), true};
    }
    if (at == at.parent_path()) return Repository{start.string(), false};
  }
}

std::string ProjectName(const std::string& root,
                        const std::function<bool(const std::string& name)>& taken) {
  std::string name;
  for (const char c : base::FoldCase(base::ToUtf8(fs::path(root).filename().string()))) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_';
    if (plain || (!name.empty() && !name.ends_with('-'))) name += plain ? c : '-';
    if (name.size() == kLongestName) break;
  }
  while (name.ends_with('-')) name.pop_back();
  if (name.empty()) name = "project";
  return taken(name) ? name + "-" + base::Sha256Hex(root).substr(0, 6) : name;
}

std::string RepositoryKey(const std::string& root) { return base::Sha256Hex(root).substr(0, 16); }

}  // namespace client
