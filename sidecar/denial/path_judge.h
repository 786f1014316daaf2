// Judges paths, and words of commands that may be paths, against a policy's allowedPaths. Reads no
// command: which words there are is denial's matter. Pure.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lib/api/policy.h"
#include "sidecar/denial/shell_word.h"
#include "sidecar/text/hook_budget.h"

namespace sidecar {

// An absolute path with its links followed as far as they can be seen from here.
using RealPath = std::function<std::string(const std::string& path)>;

// The path of file:/x and file://host/x, percent-decoded, in the widest reading of the programs
// that open it; case of the scheme does not matter. nullopt: not a file URL.
std::optional<std::string> PathOfFileUrl(std::string_view text);

// "/*" in quotes: the shell does not expand it, and the program matches names with it.
bool IsPattern(std::string_view text);

class PathJudge {
 public:
  // `directory`: where relative paths begin; "": not known. All references outlive the judge.
  PathJudge(const api::Policy& policy, const RealPath& real_path, const std::string& directory,
            WorkBudget& budget);

  // Why the path may not be touched; empty: it may, or the budget ran out.
  std::string Refusal(const std::string& path) const;
  // The same for a text that may be a relative path: only judged where one could be allowed, or
  // where it climbs.
  std::string RefusalOfGuess(const std::string& text) const;
  // A word of a command, which may be a path, hold one, or be something else.
  std::string RefusalOfWord(const ShellWord& word) const;
  // A part of code or of a text in quotes that is a path in any reading: below a directory that
  // systems have at the root or that is allowed, below a home, or climbing.
  bool IsPathInCode(std::string_view part) const;
  // From now on the command may be in `path` too; whether it got there is not known, so that each
  // relative path must be allowed from every such directory.
  std::string Enter(const std::string& path);
  bool strict() const { return policy_.strict_commands; }

 private:
  std::string RefusalOf(const std::string& path, bool globs) const;
  std::string RefusalOfOption(const std::string& text, bool globs) const;
  std::string RefusalOfPart(const std::string& part, bool globs) const;
  std::string RefusalOfPlain(const std::string& part, bool globs) const;
  std::string RefusalWithoutDirectory(const std::string& path) const;
  std::string RefusalIn(const std::string& path, const std::string& directory) const;
  std::string NoAccess(const std::string& path) const;

  const api::Policy& policy_;
  const RealPath& real_path_;
  WorkBudget& budget_;
  std::vector<std::string> real_prefixes_;
  std::set<std::string> directories_;
  bool knows_directory_ = false;
};

}  // namespace sidecar
