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

constexpr std::string_view kGitDir = "gitdir:";

// What a .git file names; empty: it is none.
fs::path NamedBy(const fs::path& git_file) {
  const auto text = base::ReadFile(git_file.string(), 16 << 10);
  if (!text || !base::Trim(*text).starts_with(kGitDir)) return {};
  const std::string_view named = base::Trim(base::Trim(*text).substr(kGitDir.size()));
  return (git_file.parent_path() / fs::path(named)).lexically_normal();
}

// The directory that stands for a git directory: what it is the .git of, also by a file that names
// it; a bare one stands for itself.
fs::path RootOf(const fs::path& git_directory) {
  if (git_directory.filename() == ".git") return git_directory.parent_path();
  const fs::path named = NamedBy(git_directory.parent_path() / ".git");
  std::error_code ignored;
  if (!named.empty() && fs::equivalent(named, git_directory, ignored))
    return git_directory.parent_path();
  return git_directory;
}

// The root of the repository of a worktree, whose .git is a file "gitdir: <directory of the
// worktree>", in which `commondir` names the repository's. Empty: no worktree.
fs::path MainOfWorktree(const fs::path& git_file) {
  const fs::path gitdir = NamedBy(git_file);
  if (gitdir.empty()) return {};
  // The repository must refer back to the worktree: else the .git file of an unpacked archive
  // could name another repository of the user and get its memories.
  std::error_code ignored;
  const auto back = base::ReadFile((gitdir / "gitdir").string(), 16 << 10);
  if (!back || !fs::equivalent(gitdir / base::Trim(*back), git_file, ignored)) return {};
  const auto shared = base::ReadFile((gitdir / "commondir").string(), 16 << 10);
  const fs::path common = fs::canonical(gitdir / (shared ? base::Trim(*shared) : "../.."), ignored);
  return ignored ? fs::path() : RootOf(common);
}

bool IsBareRepository(const fs::path& directory) {
  std::error_code ignored;
  return fs::is_regular_file(directory / "HEAD", ignored) &&
         fs::is_directory(directory / "objects", ignored) &&
         fs::is_directory(directory / "refs", ignored);
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
    if (IsBareRepository(at)) return Repository{RootOf(at).string(), true};
    if (at == at.parent_path()) return Repository{start.string(), false};
  }
}

bool HasOwnGitDirectory(const std::string& root) {
  std::error_code error;
  const fs::path git = fs::path(root) / ".git";
  if (fs::is_directory(git, error) || IsBareRepository(root)) return true;
  const fs::path named = NamedBy(git);
  if (named.empty()) return false;
  if (named.string().starts_with(root + "/")) return true;
  const std::string config = base::ReadFile((named / "config").string(), 1 << 20).value_or("");
  constexpr std::string_view kWorktree = "worktree = ";
  if (const size_t at = config.find(kWorktree); at != std::string::npos) {  // of a submodule
    const std::string back =
        config.substr(at + kWorktree.size(), config.find('\n', at) - at - kWorktree.size());
    return fs::equivalent(named / base::Trim(back), root, error);
  }
  return named.filename() != ".git" && config.find("bare = false") != std::string::npos;
}

std::string ProjectName(const std::string& root,
                        const std::function<bool(const std::string& name)>& taken) {
  std::string name;
  fs::path named = fs::path(root).filename();
  if (named.extension() == ".git") named = named.stem();  // a bare repository
  if (named.string().starts_with('.')) named = fs::path(root).parent_path().filename();
  for (const char c : base::FoldCase(base::ToUtf8(named.string()))) {
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
