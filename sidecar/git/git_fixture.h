// Test code: a repository that git itself makes.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "lib/base/process/clock.h"
#include "lib/base/text/text.h"
#include "lib/testing/temporary_directory.h"
#include "sidecar/git/commit_reader.h"

namespace sidecar {

class GitRepository {
 public:
  // `options`: of `git init`.
  explicit GitRepository(const std::string& options = "") {
    Run("git init -q -b main " + options + " repo");
  }

  // Runs shell code in the temporary folder, without the settings of the user, and returns its
  // output. `editor` writes the text $MESSAGE.
  std::string Run(const std::string& code) {
    const std::string script =
        folder_.Write("script", "cd '" + folder_.path() +
                                    "'\nexec > output 2>&1\nexport GIT_CONFIG_GLOBAL=/dev/null "
                                    "GIT_CONFIG_NOSYSTEM=1 HOME=/nowhere "
                                    "GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a "
                                    "GIT_COMMITTER_EMAIL=a@b GIT_EDITOR=\"$PWD/editor\"\n" +
                                    code);
    folder_.Write("editor", "#!/bin/sh\nprintf %s \"$MESSAGE\" > \"$1\"\n");
    std::filesystem::permissions(folder_.File("editor"), std::filesystem::perms::owner_all);
    const pid_t child = fork();
    if (child == 0) {
      execl("/bin/sh", "sh", "-e", script.c_str(), nullptr);
      _exit(127);
    }
    int ended = -1;
    waitpid(child, &ended, 0);
    const std::string said = Read("output");
    EXPECT_EQ(ended, 0) << code << "\n" << said;
    return said;
  }
  // Commits all of the repository's changes with the message.
  std::string Commit(const std::string& message) {
    return Run("cd repo && git add -A && MESSAGE='" + message + "' git commit --allow-empty");
  }
  void Write(const std::string& name, const std::string& content) {
    std::filesystem::create_directories(std::filesystem::path(Path(name)).parent_path());
    std::ofstream(Path(name), std::ios::binary | std::ios::trunc) << content;
  }
  std::string Read(const std::string& name) const {
    std::ifstream file(folder_.File(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string Path(const std::string& name = "") const {
    return folder_.File("repo") + (name.empty() ? "" : "/" + name);
  }
  std::string Beside(const std::string& name) const { return folder_.File(name); }

 private:
  testing::TemporaryDirectory folder_;
};

inline std::optional<RepositoryCommit> Newest(const std::string& directory, size_t back = 0) {
  return ReadCommit({directory, "", back}, base::SystemClock().NowMs());
}

// "message | files"; "-": no commit, or its files are not known.
inline std::string Told(const std::optional<RepositoryCommit>& commit) {
  if (!commit) return "-";
  return std::string(base::Trim(commit->message)) + " | " +
         (commit->files ? base::Join(*commit->files, ", ") : "-");
}

inline std::string ObjectFile(const GitRepository& repository, const std::string& hex) {
  return repository.Path(".git/objects/" + hex.substr(0, 2) + "/" + hex.substr(2));
}

inline std::string IdOf(GitRepository& repository, const std::string& revision) {
  return std::string(base::Trim(repository.Run("cd repo && git rev-parse " + revision)));
}

}  // namespace sidecar
