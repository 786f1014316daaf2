// One turn of a conversation, from its texts to traces.
#pragma once

#include "memory/extract/extractor.h"
#include "memory/store/store.h"

namespace memory {

// The facts of a turn; of one whose settings are not enabled none, and nobody is asked. No store is
// needed meanwhile. Errors are the extractor's.
base::Result<std::vector<FactCandidate>> FactsOfTurn(const Turn& turn, Extractor& extractor,
                                                     const std::stop_token& stop);

// Stores these facts of a turn, writes down what became of each, and does what is due after it: an
// observation note, a run of consolidation. The same facts again are stored once. An error leaves
// the turn waiting. Any thread, one at a time for a store.
base::Status IngestTurn(Store& store, const PendingTurn& pending, std::vector<FactCandidate> facts);

}  // namespace memory
