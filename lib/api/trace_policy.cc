// Reads and writes the fields; the tools have their names from sidecar/mcp/trace_tools.cc.
#include "lib/api/trace_policy.h"

#include <algorithm>
#include <iterator>

namespace api {
namespace {

constexpr int kMostFactsOfATurn = 20;
constexpr const char* kPack[] = {"memory_add",    "memory_update", "memory_delete", "memory_merge",
                                 "memory_search", kReflectTool,    kRehydrateTool};

}  // namespace

bool AgentOsTools::Includes(std::string_view tool) const {
  if (tool == kReflectTool && !include_reflect) return false;
  if (tool == kRehydrateTool && !include_rehydrate) return false;
  return tools.empty() || std::ranges::find(tools, tool) != tools.end();
}

void ReadAgentOsTools(Fields& in, AgentOsTools& tools) {
  in.Flag("includeReflect", tools.include_reflect);
  in.Flag("includeRehydrate", tools.include_rehydrate);
  in.Texts("tools", tools.tools);
  for (const std::string& name : tools.tools)
    if (std::ranges::find(kPack, name) == std::end(kPack))
      in.Refuse("tools",
                "must be names of " + base::Join({std::begin(kPack), std::end(kPack)}, ", "));
}

void ReadAutoIngest(Fields& in, AutoIngest& ingest) {
  ingest.enabled = true;
  in.Flag("enabled", ingest.enabled);
  in.Share("importanceThreshold", ingest.importance_threshold);
  in.Number("maxPerTurn", ingest.max_per_turn, 1, kMostFactsOfATurn);
}

void ReadPersonality(Fields& in, Personality& traits) {
  for (const char* trait : kTraits) {
    if (in.Find(trait) == nullptr) continue;
    in.Share(trait, traits[trait]);
  }
}

base::Json EncodeAgentOsTools(const AgentOsTools& tools) {
  base::Json out = {{"includeReflect", tools.include_reflect},
                    {"includeRehydrate", tools.include_rehydrate}};
  if (!tools.tools.empty()) out["tools"] = tools.tools;
  return out;
}

base::Json EncodeAutoIngest(const AutoIngest& ingest) {
  return {{"enabled", ingest.enabled},
          {"importanceThreshold", ingest.importance_threshold},
          {"maxPerTurn", ingest.max_per_turn}};
}

base::Json EncodeIngestSettings(const AutoIngest& ingest, const Personality& traits) {
  return {{"importanceThreshold", ingest.importance_threshold},
          {"maxPerTurn", ingest.max_per_turn},
          {"personality", traits}};
}

}  // namespace api
