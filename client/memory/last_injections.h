// The last injections of a sidecar: the records for `why`, `status` and `show`.
#pragma once

#include "client/memory/calls.h"

namespace client {

// Up to `most` answers of GET /v1/injections of the newest conversation that has any, newest turn
// first.
base::Result<base::Json> LastInjections(const MemoryCalls& sidecar, int64_t most);
// The injections of a memory in the newest 20 conversations and 200 turns, newest first: a list of
// {"at", "conversation", "turn", "query"}.
base::Result<base::Json> InjectionsOf(const MemoryCalls& sidecar, int64_t observation);

}  // namespace client
