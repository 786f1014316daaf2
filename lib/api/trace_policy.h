// The parts of the policy for traces (the AgentOS memory tools, auto-ingest, personality), and
// their JSON in policy.json and in the bodies of POST /ingest/turns. The sidecar and the server
// interpret them. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/api/fields.h"
#include "lib/base/json/json.h"

namespace api {

inline constexpr const char* kReflectTool = "memory_reflect";
inline constexpr const char* kRehydrateTool = "rehydrate_memory";

// Selects tools of the pack for models, with memory.tools: agentos.
struct AgentOsTools {
  bool include_reflect = false, include_rehydrate = false;
  std::vector<std::string> tools;  // names of the pack; empty: all
  bool Includes(std::string_view tool) const;
  bool operator==(const AgentOsTools&) const = default;
};

// HEXACO traits, 0 to 1; a missing trait has no effect.
using Personality = std::map<std::string, double>;

inline constexpr const char* kTraits[] = {"honesty",       "emotionality",      "extraversion",
                                          "agreeableness", "conscientiousness", "openness"};

inline constexpr const char* kAgentOsSet = "agentos";  // a value of memory.tools

// Extraction of facts from each turn.
struct AutoIngest {
  bool enabled = false;  // defaults to true inside a given block
  double importance_threshold = 0.4;
  int max_per_turn = 3;
  bool operator==(const AutoIngest&) const = default;
};

void ReadAgentOsTools(Fields& in, AgentOsTools& tools);
void ReadAutoIngest(Fields& in, AutoIngest& ingest);
void ReadPersonality(Fields& in, Personality& traits);
base::Json EncodeAgentOsTools(const AgentOsTools& tools);
base::Json EncodeAutoIngest(const AutoIngest& ingest);
inline constexpr const char* kIngestPath = "/ingest/turns";
// `settings` of POST /ingest/turns: {importanceThreshold, maxPerTurn, personality}.
base::Json EncodeIngestSettings(const AutoIngest& ingest, const Personality& traits);

}  // namespace api
