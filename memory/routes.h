// The table of the memory API's routes.
#pragma once

#include "lib/http/router.h"
#include "memory/handlers.h"

namespace memory {

// `max_stream_bytes`: of a transcript or an import.
std::vector<http::Route> Routes(const Api& api, size_t max_stream_bytes);

}  // namespace memory
