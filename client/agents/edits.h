// The files of an agent that `setup` changes, and their edits.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lib/base/result.h"

namespace client {

// The new text of one file: `with` for setup, `without` for --undo, where `earlier` is the text
// from before setup (empty: unknown): what it had already stays.
struct FileEdit {
  std::string file;
  std::string what;  // that setup adds, for people
  std::function<base::Result<std::string>(const std::string& text)> with;
  std::function<base::Result<std::string>(const std::string& text, const std::string& earlier)>
      without;
};

// Reads the environment and, for the name of Claude Code's server, its .claude.json. The edits for
// claude-code or codex below the home directory `user`; empty: unknown agent.
std::vector<FileEdit> EditsOf(const std::string& agent, const std::string& user,
                              const std::string& program);

}  // namespace client
