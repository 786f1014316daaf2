// Reads the commits that a shell command makes from its words: messages, amendments, named files.
// Knows no repository; commits.h decides what is saved. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sidecar {

struct CommitCall {
  std::string message;  // as git gets it; empty: the command does not tell it
  bool amends = false;
  // Where it runs, relative to the command's own directory, by `cd` and `git -C`. nullopt: only
  // known at run time, or the command names the repository in another way.
  std::optional<std::string> directory = "";
  std::vector<std::string> files;  // that the command adds or commits by name, in order
};

// The calls of `git commit` in order, also of code that the command passes to shells; dry runs and
// commits for a later rebase (--fixup, --squash) are none. A command that cannot be parsed has
// none.
std::vector<CommitCall> CommitCalls(std::string_view command);

}  // namespace sidecar
