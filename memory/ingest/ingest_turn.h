// One turn of a conversation, from its texts to traces.
#pragma once

#include "memory/store/store.h"

namespace memory {

// Extracts and stores the facts of a turn, writes down what became of each, and does what is due
// after it: an observation note, a run of consolidation. The same turn again stores nothing twice.
// An error leaves the turn waiting. Any thread, one at a time for a store.
base::Status IngestTurn(Store& store, const PendingTurn& pending);

}  // namespace memory
