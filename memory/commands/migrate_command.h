// agent-memory-server migrate: moves tenants between files and a database.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "memory/commands/move_host.h"

namespace memory {

// `words`: the command and its arguments. `terminal`: `err` is one.
int RunMigrate(const MoveHost& host, const std::vector<std::string>& words,
               const std::vector<std::string>& environment, std::ostream& out, std::ostream& err,
               bool terminal);

}  // namespace memory
