// Which files of an agent `setup` changes, and how. Reads the environment, touches no file.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lib/base/result.h"

namespace client {

// One file: what it becomes by setup and by --undo.
struct FileEdit {
  std::string file;
  std::function<base::Result<std::string>(const std::string&text)> with, without;
};

// Of claude-code or codex, for the user whose home is `user`; empty: the agent is not known.
std::vector<FileEdit> EditsOf(const std::string& agent, const std::string& user,
                              const std::string& program);

}  // namespace client
