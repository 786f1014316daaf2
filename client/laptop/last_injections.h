// What a sidecar put into prompts last: the records behind `why` and `status`.
#pragma once

#include "client/memory_calls.h"

namespace client {

// Answers of GET /v1/injections of the newest conversation that has any, the newest turn first, at
// most `most`.
base::Result<base::Json> LastInjections(const MemoryCalls& sidecar, int64_t most);

}  // namespace client
