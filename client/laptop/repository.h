// Which repository a directory is in, and what its project is called. Reads the file system only.
#pragma once

#include <functional>
#include <string>

#include "lib/base/result.h"

namespace client {

struct Repository {
  std::string root;        // absolute, links followed
  bool versioned = false;  // has a .git; else root is the directory itself
};

// The nearest directory upwards with a .git. A worktree belongs to its main repository, a submodule
// is a repository of its own. kNotFound: there is no such directory.
base::Result<Repository> RepositoryOf(const std::string& directory);

// The last name of the root with characters that project names take; "-" and six digits of the
// root's hash behind it when `taken` says that another repository has that name. Pure.
std::string ProjectName(const std::string& root,
                        const std::function<bool(const std::string& name)>& taken);

// The folder of a repository below the home: of its root, so that a renamed project keeps it.
std::string RepositoryKey(const std::string& root);

}  // namespace client
