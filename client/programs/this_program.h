// The path of agent-memory for settings of other programs.
#pragma once

#include <string>

#include "lib/base/result.h"

namespace client {

// The path on PATH if it leads to this file, since that path survives an update; else the file's
// own path.
base::Result<std::string> ThisProgram();

}  // namespace client
