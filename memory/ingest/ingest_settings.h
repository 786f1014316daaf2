// Parses the settings of auto-ingest of a request or an agent.config.json. Pure.
#pragma once

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "memory/extract/personality.h"

namespace memory {

// {"enabled", "importanceThreshold", "maxPerTurn", "personality": {"openness": 0.8, …}}, or an
// agent.config.json: {"storage": {"autoIngest": {…}}, "personality": {…}}. Missing members have
// defaults, adjusted by the personality. kInvalid names field, limit and value.
base::Result<IngestSettings> DecodeIngestSettings(const base::Json& settings);

}  // namespace memory
