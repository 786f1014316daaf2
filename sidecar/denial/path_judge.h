// Judges paths, and words of commands that may be paths, against a policy's allowedPaths. Callers
// parse commands. Pure.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lib/api/policy.h"
#include "sidecar/shell/shell_word.h"
#include "sidecar/text/hook_budget.h"

namespace sidecar {

// Resolves the symbolic links of an absolute path, as far as this container sees them.
using RealPath = std::function<std::string(const std::string& path)>;

// The path of file:/x and file://host/x, percent-decoded, in the widest reading of the programs
// that open it; case of the scheme does not matter. nullopt: not a file URL.
std::optional<std::string> PathOfFileUrl(std::string_view text);

// Whether a quoted text such as "/*" is a pattern, which the program matches and the shell does not
// expand.
bool IsPattern(std::string_view text);

class PathJudge {
 public:
  // `directory`: the base of relative paths; "": unknown. All references outlive the judge.
  PathJudge(const api::Policy& policy, const RealPath& real_path, const std::string& directory,
            WorkBudget& budget);

  // The reason to deny the path; empty: it is allowed, or the budget is spent.
  std::string Refusal(const std::string& path) const;
  // The same for a text that may be a relative path: judged only if a relative path could be
  // allowed, or if it contains "..".
  std::string RefusalOfGuess(const std::string& text) const;
  // The same for a word of a command, which may be or contain a path.
  std::string RefusalOfWord(const ShellWord& word) const;
  // Whether a part of code or of a quoted text is surely a path: below an allowed directory or one
  // that systems have at the root, below a home, or with "..".
  bool IsPathInCode(std::string_view part) const;
  // The command may have changed to `path`, successfully or not: from now on each relative path
  // must be allowed from every such directory. → the reason to deny it; empty: allowed.
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
