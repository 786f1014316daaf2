// Which traces a run of consolidation changes, and how. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "memory/model/strength.h"

namespace memory {

struct ConsolidationRules {
  double prune_below = 0.05;        // strength
  double merge_above = 0.95;        // cosine
  int64_t compact_after_days = 30;  // since an episodic trace was made
  int64_t compact_retrievals = 5;   // from which on it is made semantic
  size_t gist_characters = 400;     // longer texts become their gist then
  int64_t archive_days = 0;         // originals that nobody read for so long go; 0: never
};

// What the plan needs to know of a trace.
struct TraceSketch {
  int64_t slot = 0;
  std::string kind, scope, hash;  // hash: of the text, case folded
  Strength strength;
  std::optional<int64_t> remind_ms;
  int64_t created_ms = 0;
};

struct ConsolidationPlan {
  std::vector<int64_t> prune;               // slots
  std::vector<std::vector<int64_t>> merge;  // two slots or more each
  std::vector<int64_t> compact;
};

// `near`: pairs of indexes into `traces`, which are of one scope id. Traces of one text, or near
// each other, of one kind and scope are merged; what is pruned is neither merged nor compacted, and
// what is merged is not compacted. Prospective traces whose time has not come are left alone.
ConsolidationPlan PlanConsolidation(const std::vector<TraceSketch>& traces,
                                    const std::vector<std::pair<size_t, size_t>>& near,
                                    int64_t now_ms, const ConsolidationRules& rules,
                                    const StrengthRules& strength);

// The texts of one merged trace: those that no other contains, one a line.
std::string UnitedText(std::vector<std::string> texts);

// The weight of an edge between traces that were found together `times` more: each time takes a
// tenth of what is missing to 1 (Hebb, "The Organization of Behavior", 1949: what fires together is
// linked).
double CoactivatedWeight(double weight, int64_t times);

}  // namespace memory
