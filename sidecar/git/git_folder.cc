// Opens each step of a path by itself with O_NOFOLLOW, so that no link leads out of .git.
#include "sidecar/git/git_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "lib/base/text/text.h"

namespace sidecar {
namespace {

namespace fs = std::filesystem;

constexpr int kMostParents = 128;
constexpr size_t kLongestPointer = 16 << 10;  // bytes of a .git file or of commondir
constexpr std::string_view kGitDir = "gitdir:";
constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
// A FIFO or a device is opened without waiting, and seen by its mode.
constexpr int kFileFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

bool IsOwn(int descriptor) {
  struct stat found {};
  return fstat(descriptor, &found) == 0 && found.st_uid == geteuid();
}

std::optional<GitFolder> OpenReal(const fs::path& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  return error ? std::nullopt : GitFolder::Open(real.string());
}

// Those that the file .git of a worktree, a submodule or a separate git folder names.
std::optional<GitFolders> Named(const GitFolder& tree) {
  const auto text = tree.ReadAll(".git", kLongestPointer);
  if (!text || !text->starts_with(kGitDir)) return std::nullopt;
  const std::string_view named = base::Trim(std::string_view(*text).substr(kGitDir.size()));
  auto own = OpenReal(fs::path(tree.path()) / named);
  if (!own) return std::nullopt;
  const std::string shared = own->ReadAll("commondir", kLongestPointer).value_or(".");
  auto common = OpenReal(fs::path(own->path()) / base::Trim(shared));
  if (!common) return std::nullopt;
  return GitFolders{std::move(*own), std::move(*common)};
}

}  // namespace

GitFile::GitFile(GitFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}

GitFile& GitFile::operator=(GitFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_, other.size_);
  return *this;
}

GitFile::~GitFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::optional<std::string> GitFile::Read(uint64_t offset, size_t most) const {
  if (offset > size_) return std::nullopt;
  std::string bytes(std::min<uint64_t>(most, size_ - offset), '\0');
  size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = pread(descriptor_, bytes.data() + filled, bytes.size() - filled,
                              static_cast<off_t>(offset + filled));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;  // it was cut meanwhile
    filled += static_cast<size_t>(got);
  }
  return bytes;
}

GitFolder::GitFolder(GitFolder&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

GitFolder::~GitFolder() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::optional<GitFolder> GitFolder::Open(const std::string& path) {
  const int descriptor = open(path.c_str(), kFolderFlags);
  if (descriptor < 0) return std::nullopt;
  GitFolder folder(path, descriptor);
  if (!IsOwn(descriptor)) return std::nullopt;
  return folder;
}

int GitFolder::Descend(std::string_view path, int last_flags) const {
  int at = descriptor_;
  while (!path.empty()) {
    const size_t end = std::min(path.find('/'), path.size());
    const std::string step(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
    const int next =
        step == ".." ? -1 : openat(at, step.c_str(), path.empty() ? last_flags : kFolderFlags);
    if (at != descriptor_) close(at);
    if (next < 0) return -1;
    at = next;
  }
  return at == descriptor_ ? -1 : at;
}

std::optional<GitFile> GitFolder::File(std::string_view path) const {
  const int descriptor = Descend(path, kFileFlags);
  if (descriptor < 0) return std::nullopt;
  struct stat found {};
  const bool regular = fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode);
  GitFile file(descriptor, regular ? static_cast<uint64_t>(found.st_size) : 0);
  if (!regular) return std::nullopt;
  return file;
}

std::optional<std::string> GitFolder::ReadAll(std::string_view path, size_t most) const {
  const auto file = File(path);
  return file && file->size() <= most ? file->Read(0, most) : std::nullopt;
}

std::vector<std::string> GitFolder::Names(std::string_view path, size_t most) const {
  std::vector<std::string> names;
  const int descriptor = Descend(path, kFolderFlags);
  DIR* const listing = descriptor < 0 ? nullptr : fdopendir(descriptor);
  if (listing == nullptr) {
    if (descriptor >= 0) close(descriptor);
    return names;
  }
  while (const dirent* entry = readdir(listing)) {
    if (entry->d_name[0] == '.') continue;
    names.emplace_back(entry->d_name);
    if (names.size() == most) break;
  }
  closedir(listing);
  std::ranges::sort(names);
  return names;
}

std::optional<GitFolders> FindGit(const std::string& directory) {
  std::error_code error;
  fs::path at = fs::canonical(directory, error);
  if (error) return std::nullopt;
  for (int i = 0; i < kMostParents; ++i, at = at.parent_path()) {
    struct stat found {};
    if (lstat((at / ".git").c_str(), &found) == 0) {
      const auto tree = GitFolder::Open(at.string());
      if (!tree || found.st_uid != geteuid()) return std::nullopt;
      if (S_ISREG(found.st_mode)) return Named(*tree);
      auto own = GitFolder::Open((at / ".git").string());
      auto common = GitFolder::Open((at / ".git").string());
      if (!own || !common) return std::nullopt;
      return GitFolders{std::move(*own), std::move(*common)};
    }
    if (at == at.parent_path()) break;
  }
  return std::nullopt;
}

}  // namespace sidecar
