// The routes of auto-ingest.
#pragma once

#include "memory/api/handlers.h"

namespace memory {

http::Response PostTurn(const Api& api, const http::Request& request);
http::Response GetTurn(const Api& api, const http::Request& request);
http::Response RetryTurn(const Api& api, const http::Request& request);

}  // namespace memory
