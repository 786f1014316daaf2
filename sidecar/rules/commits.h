// Captures the commits of a tool's call: the subject is the title, the body and the files are the
// content. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "sidecar/rules/capture.h"

namespace sidecar {

inline constexpr const char* kCommitRule = "commits";
inline constexpr size_t kMostCommitCharacters = 4'000;  // of a content

// A commit as its repository has it.
struct RepositoryCommit {
  std::string message;
  std::optional<std::vector<std::string>> files;  // against the first parent; nullopt: not known
  std::vector<std::string> replaced;              // messages that amendments replaced, oldest first
  int64_t age_s = 0;
};

// Asks for the commit with this hash (its beginning), or without a hash for the commit that has
// `back` newer ones by `git commit` in its worktree. `directory`: relative to the call's, or
// absolute.
struct CommitQuery {
  std::string directory, hash;
  size_t back = 0;
};
using CommitSource = std::function<std::optional<RepositoryCommit>(const CommitQuery& query)>;

// The commits of a call that succeeded: from the repository if `source` finds the commit there,
// else by the call's arguments and output. A commit is left out when git says that there was
// nothing to commit, when nothing tells its message, and when the message says nothing ("wip",
// "fix", ".", merges). `amends` of a capture: it replaces the commit before
// (turn/turn_commit.cc); an amendment of a commit of the same call is one capture.
std::vector<Capture> CommitsOf(const base::Json& arguments, const std::string& output,
                               const CommitSource& source = nullptr);

bool MakesCommit(const base::Json& arguments);  // by its command

// Whether a commit message is not worth a memory: its words say neither what nor why.
bool SaysNothing(const std::string& subject, const std::string& body);

}  // namespace sidecar
