// Derives the insights of one run of consolidation.
#pragma once

#include "memory/derive/deriver.h"
#include "memory/store/consolidation.h"

namespace memory {

// Asks `deriver` about each cluster of a run, without a store. If the deriver is unavailable the
// remaining clusters are skipped, and the insights so far count; the next run may cluster the same
// traces again. kUnavailable: `stop`.
base::Result<DerivedInsights> DeriveRun(const DeriveWork& work, Deriver& deriver,
                                        const std::stop_token& stop);

}  // namespace memory
