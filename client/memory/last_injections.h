// What a sidecar put into prompts last: the records behind `why`, `status` and `show`.
#pragma once

#include "client/memory/calls.h"

namespace client {

// Answers of GET /v1/injections of the newest conversation that has any, the newest turn first, at
// most `most`.
base::Result<base::Json> LastInjections(const MemoryCalls& sidecar, int64_t most);
// Where a memory was put into prompts, of the newest 20 conversations and 200 turns, the newest
// first:
// [{"at", "conversation", "turn", "query"}].
base::Result<base::Json> InjectionsOf(const MemoryCalls& sidecar, int64_t observation);

}  // namespace client
