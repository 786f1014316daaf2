// The routes /export and /import; both stream.
#pragma once

#include "memory/api/handlers.h"

namespace memory {

http::Response Export(const Api& api, const http::Request& request);
http::Response Import(const Api& api, const http::Request& request);

}  // namespace memory
