// Flags of traces.
#include "memory/trace_settings.h"

#include <charconv>

namespace memory {

using base::Code;
using base::Error;
using base::Result;
using base::Setting;

namespace {

using Kind = Setting::Kind;

constexpr int kMostWeight = 1000;

double* PartOf(TraceWeights& weights, std::string_view name) {
  if (name == "lexical") return &weights.lexical;
  if (name == "similarity") return &weights.similarity;
  if (name == "strength") return &weights.strength;
  if (name == "emotion") return &weights.emotion;
  if (name == "recency") return &weights.recency;
  if (name == "graph") return &weights.graph;
  return name == "importance" ? &weights.importance : nullptr;
}

double Hundredths(const base::Settings& settings, const char* name) {
  return static_cast<double>(settings.Int(name)) / 100;
}

}  // namespace

std::vector<Setting> TraceFlags() {
  return {
      {"trace-stability", Kind::kInt, "7",
       "days after which an episodic trace without retrievals has 37 % of its strength", 1, 36'500},
      {"trace-lasting", Kind::kInt, "4",
       "factor by which semantic and procedural traces last longer than episodic ones", 1, 1000},
      {"trace-gain", Kind::kInt, "10", "strength that a retrieval adds, in hundredths", 0, 100},
      {"trace-weights", Kind::kList,
       "lexical=40,similarity=30,strength=10,emotion=5,recency=5,graph=5,importance=5",
       "weights of the parts of a score in a search of traces"},
      {"trace-prune", Kind::kInt, "5",
       "consolidation hides traces below this strength, in hundredths; 0: none", 0, 100},
      {"trace-merge", Kind::kInt, "95",
       "consolidation merges traces from this cosine on, in hundredths; equal texts always", 50,
       100},
      {"trace-compact-after", Kind::kInt, "30",
       "days after which consolidation makes an episodic trace semantic", 0, 36'500},
      {"trace-compact-retrievals", Kind::kInt, "5",
       "retrievals that a trace needs before trace-compact-after applies", 0, 1'000'000},
      {"trace-gist", Kind::kInt, "400",
       "length in characters above which a compacted trace keeps only its gist; the original is "
       "archived",
       50, 50'000},
      {"trace-archive", Kind::kInt, "0",
       "days after which the archived original of a trace without reads is removed; 0: never", 0,
       36'500},
  };
}

Result<TraceWeights> ParseTraceWeights(const std::vector<std::string>& parts) {
  TraceWeights weights{0, 0, 0, 0, 0, 0, 0};
  for (const std::string& part : parts) {
    const size_t equals = part.find('=');
    double* const weight = PartOf(weights, std::string_view(part).substr(0, equals));
    const std::string number = equals == std::string::npos ? "" : part.substr(equals + 1);
    int value = -1;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    const bool whole = error == std::errc() && end == number.data() + number.size();
    if (!weight || !whole || value < 0 || value > kMostWeight) {
      return Error{Code::kInvalid,
                   "\"" + part +
                       "\" is no part with its weight: lexical, similarity, strength, emotion, "
                       "recency, graph or importance, = and a whole number from 0 to " +
                       std::to_string(kMostWeight)};
    }
    *weight = static_cast<double>(value) / 100;
  }
  if (weights.lexical + weights.similarity <= 0)
    return Error{Code::kInvalid, "lexical and similarity are 0: the query would not count"};
  return weights;
}

void ReadTraceSettings(const base::Settings& settings, StoreOptions& store) {
  store.strength.stability_days = static_cast<double>(settings.Int("trace-stability"));
  store.strength.lasting = static_cast<double>(settings.Int("trace-lasting"));
  store.strength.retrieval_gain = Hundredths(settings, "trace-gain");
  store.trace_weights = ParseTraceWeights(settings.List("trace-weights")).value_or(TraceWeights());
  ConsolidationRules& rules = store.consolidation;
  rules.prune_below = Hundredths(settings, "trace-prune");
  rules.merge_above = Hundredths(settings, "trace-merge");
  rules.compact_after_days = settings.Int("trace-compact-after");
  rules.compact_retrievals = settings.Int("trace-compact-retrievals");
  rules.gist_characters = static_cast<size_t>(settings.Int("trace-gist"));
  rules.archive_days = settings.Int("trace-archive");
}

}  // namespace memory
