// The settings of traces: decay, ranking and consolidation.
#pragma once

#include <string>
#include <vector>

#include "lib/base/process/config.h"
#include "memory/sqlite/store/options.h"

namespace memory {

std::vector<base::Setting> TraceFlags();
void ReadTraceSettings(const base::Settings& settings, StoreOptions& store);
// "lexical=40,similarity=30,…": parts of a score of traces with their weights, whole numbers from 0
// to 1000; a part that is not named has none. kInvalid names the part and its value.
base::Result<TraceWeights> ParseTraceWeights(const std::vector<std::string>& parts);

}  // namespace memory
