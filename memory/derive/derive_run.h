// One run of consolidation whose insights are due.
#pragma once

#include "memory/derive/deriver.h"
#include "memory/store/consolidation.h"

namespace memory {

// What `deriver` finds in the clusters of a run. No store is needed meanwhile. The first cluster
// that nobody can be asked about ends it: what was found until then counts, and the traces of the
// others are as new to the next run. kUnavailable: `stop`.
base::Result<DerivedInsights> DeriveRun(const DeriveWork& work, Deriver& deriver,
                                        const std::stop_token& stop);

}  // namespace memory
