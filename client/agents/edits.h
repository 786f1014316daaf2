// The files of an agent that `setup` changes, and their edits. Reads the environment, but no file.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lib/base/result.h"

namespace client {

// The new text of one file: `with` for setup, `without` for --undo.
struct FileEdit {
  std::string file;
  std::function<base::Result<std::string>(const std::string&text)> with, without;
};

// The edits for claude-code or codex below the home directory `user`; empty: unknown agent.
std::vector<FileEdit> EditsOf(const std::string& agent, const std::string& user,
                              const std::string& program);

}  // namespace client
