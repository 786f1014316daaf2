// The settings of auto-ingest as a request or an agent.config.json has them. Pure.
#pragma once

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "memory/extract/personality.h"

namespace memory {

// {"enabled", "importanceThreshold", "maxPerTurn", "personality": {"openness": 0.8, …}}, or an
// agent.config.json: {"storage": {"autoIngest": {…}}, "personality": {…}}. What is not said is the
// default; the result has what the personality makes of it. kInvalid names field, limit and value.
base::Result<IngestSettings> DecodeIngestSettings(const base::Json& settings);

}  // namespace memory
