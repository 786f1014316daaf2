// Which traces a run of consolidation changes, and how. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "memory/model/near_pairs.h"
#include "memory/model/strength.h"

namespace memory {

struct ConsolidationRules {
  double prune_below = 0.05;        // strength
  double merge_above = 0.95;        // cosine
  int64_t compact_after_days = 30;  // since an episodic trace was made
  int64_t compact_retrievals = 5;   // from this number on it becomes semantic
  size_t gist_characters = 400;     // longer texts are then replaced by their gist
  int64_t archive_days = 0;         // originals that nobody read for so long are removed; 0: never
};

// The facts about a trace that the plan depends on.
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
  std::vector<int64_t> compact_unmerged;  // of `merge`, for those that did not fit into a merge
};

// Gives a taker the pairs of indexes into `traces` that are near each other.
using NearSource = std::function<void(const PairTaker& taker)>;

// `near`: of the traces, which have one scope id. Merges traces with the same text
// or near each other, of one kind and scope. Pruned traces are neither merged nor compacted, merged
// ones are not compacted. Prospective traces before their time stay.
ConsolidationPlan PlanConsolidation(const std::vector<TraceSketch>& traces, const NearSource& near,
                                    int64_t now_ms, const ConsolidationRules& rules,
                                    const StrengthRules& strength);

// The content of a merged trace: the texts that no other text contains, one per line.
std::string UnitedText(std::vector<std::string> texts);

// The weight of an edge after `times` more joint retrievals: each adds a tenth of the difference to
// 1 (Hebb, "The Organization of Behavior", 1949: joint activity strengthens a connection).
double CoactivatedWeight(double weight, int64_t times);

}  // namespace memory
