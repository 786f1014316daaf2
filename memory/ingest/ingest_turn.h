// Turns the texts of one turn of a conversation into traces.
#pragma once

#include "memory/extract/extractor.h"
#include "memory/store/store.h"

namespace memory {

// The facts of a turn; none, without a call of the extractor, if its settings disable it. Needs no
// store. Errors are the extractor's.
base::Result<std::vector<FactCandidate>> FactsOfTurn(const Turn& turn, Extractor& extractor,
                                                     const std::stop_token& stop);

// Stores the facts of a turn, records the decision about each, and runs what is due after it: an
// observation note, a run of consolidation. Idempotent. An error leaves the turn pending. Any
// thread, one at a time per store.
base::Status IngestTurn(Store& store, const PendingTurn& pending, std::vector<FactCandidate> facts);

}  // namespace memory
