// Finds the repository of a directory and its project's name. Only reads the file system.
#pragma once

#include <functional>
#include <string>

#include "lib/base/result.h"

namespace client {

struct Repository {
  std::string root;        // absolute, links followed
  bool versioned = false;  // has a .git; else root is the given directory
};

// The nearest parent directory with a .git. A worktree belongs to its repository, which may be
// bare; a submodule is a separate repository. kNotFound: no such directory.
base::Result<Repository> RepositoryOf(const std::string& directory);

// Whether the root has a git directory of its own. False: it has none, or a .git file that names
// the directory of another working tree, as an unpacked archive may.
bool HasOwnGitDirectory(const std::string& root);

// The last path component of the root, in the characters of project names; if another repository
// has the name (`taken`), followed by "-" and six hexadecimal digits of the root's SHA-256. Pure.
std::string ProjectName(const std::string& root,
                        const std::function<bool(const std::string& name)>& taken);

// The folder name of a repository below the home; made of its root, not of the project's name.
std::string RepositoryKey(const std::string& root);

}  // namespace client
