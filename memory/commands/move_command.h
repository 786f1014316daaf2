// agent-memory-server export and import: from arguments to an exit code.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "memory/commands/move_host.h"

namespace memory {

bool IsMoveCommand(std::string_view word);

// `words`: the command and its arguments. `terminal`: `err` is one.
int RunMove(const MoveHost& host, const std::vector<std::string>& words,
            const std::vector<std::string>& environment, std::ostream& out, std::ostream& err,
            bool terminal);

}  // namespace memory
