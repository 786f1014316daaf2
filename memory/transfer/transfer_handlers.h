// The routes /export and /import; both stream.
#pragma once

#include "memory/api/handlers.h"

namespace memory {

ApiHandler Export, Import;

}  // namespace memory
