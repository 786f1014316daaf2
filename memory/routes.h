// The routes of the memory API, by the table of lib/api/operations.
#pragma once

#include <string_view>
#include <vector>

#include "lib/http/message/router.h"
#include "memory/api/gate.h"

namespace memory {

// Every route goes through the gate, which outlives the server. `max_stream_bytes`: of a transcript
// or an import.
std::vector<http::Route> Routes(const Gate& gate, size_t max_stream_bytes);
// The rows that have a handler, for the test that all have.
std::vector<std::string_view> HandlerNames();
// The subset that an AEGIS memory service has.
std::vector<http::Route> AegisRoutes(const Gate& gate);

}  // namespace memory
