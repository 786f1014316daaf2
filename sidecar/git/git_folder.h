// The folder .git of a directory, whose files are opened below one descriptor without following
// links. Only reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sidecar {

// A regular file that is open for reading, as large as it was when it was opened.
class GitFile {
 public:
  GitFile(int descriptor, uint64_t size) : descriptor_(descriptor), size_(size) {}
  GitFile(GitFile&& other) noexcept;
  GitFile& operator=(GitFile&& other) noexcept;  // swaps
  ~GitFile();

  uint64_t size() const { return size_; }
  // The bytes from `offset` on, `most` of them or up to the end. nullopt: the offset is after the
  // end, or the file cannot be read.
  std::optional<std::string> Read(uint64_t offset, size_t most) const;

 private:
  int descriptor_;
  uint64_t size_;
};

class GitFolder {
 public:
  // nullopt: there is none, `path` is a link, or another user owns it.
  static std::optional<GitFolder> Open(const std::string& path);
  GitFolder(GitFolder&& other) noexcept;
  GitFolder& operator=(GitFolder&&) = delete;
  ~GitFolder();

  // `path` is relative and has no "..". nullopt: it or a folder before it is a link or missing.
  std::optional<GitFile> File(std::string_view path) const;
  std::optional<std::string> ReadAll(std::string_view path, size_t most) const;
  // The names in a folder below, sorted, at most `most`.
  std::vector<std::string> Names(std::string_view path, size_t most) const;
  const std::string& path() const { return path_; }

 private:
  GitFolder(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  int Descend(std::string_view path, int last_flags) const;  // → a descriptor; -1: none
  std::string path_;
  int descriptor_;
};

struct GitFolders {
  GitFolder own;     // of the worktree: HEAD and its log
  GitFolder common;  // of the repository: objects
};

// The git folders of the nearest parent directory with a .git, as git finds them. nullopt: no such
// directory, or the user of this process does not own it and its git folders (git's rule of
// safe.directory).
std::optional<GitFolders> FindGit(const std::string& directory);

}  // namespace sidecar
