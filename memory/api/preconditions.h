// Headers and parameters that writes of items and of shared memory have in common. Pure.
#pragma once

#include "lib/base/result.h"
#include "lib/http/message/message.h"
#include "memory/store/precondition.h"

namespace memory {

// If-Match: "<version>" or *; If-None-Match: *. kInvalid names the header and its value.
base::Result<Precondition> DecodePrecondition(const http::Headers& headers);

}  // namespace memory
