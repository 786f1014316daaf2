// The path of agent-memory to write into settings of others.
#pragma once

#include <string>

#include "lib/base/result.h"

namespace client {

// As it is found on PATH, where that is this file: such a path outlives an update. Else the file's
// own.
base::Result<std::string> ThisProgram();

}  // namespace client
