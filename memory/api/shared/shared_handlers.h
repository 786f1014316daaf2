// Shared memory between Agents: /shared. An item that the caller may not read answers like a
// missing one, in about the same time.
#pragma once

#include "memory/api/handlers.h"

namespace memory {

http::Response PutShared(const Api& api, const http::Request& request);
http::Response GetShared(const Api& api, const http::Request& request);
http::Response DeleteShared(const Api& api, const http::Request& request);
http::Response ListShared(const Api& api, const http::Request& request);

}  // namespace memory
