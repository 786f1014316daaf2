// The strength of a trace, which decays with time and grows with retrievals. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace memory {

// The kinds of memory after Tulving, "Episodic and semantic memory" (1972); prospective: reminders.
inline constexpr const char* kEpisodic = "episodic";
inline constexpr const char* kSemantic = "semantic";
inline constexpr const char* kProcedural = "procedural";
inline constexpr const char* kProspective = "prospective";
bool IsTraceKind(std::string_view word);

struct StrengthRules {
  double stability_days = 7;    // of an episodic trace that was never retrieved
  double lasting = 4;           // the same of semantic and procedural traces, as a multiple
  double retrieval_gain = 0.1;  // of each retrieval; the sum is at most 1
};

// The stored strength of a trace: `value` held at `accessed_ms`.
struct Strength {
  double value = 1;  // 0…1
  int64_t accessed_ms = 0, retrievals = 0;
};

// The forgetting curve of Ebbinghaus, "Über das Gedächtnis" (1885), in its exponential form:
// value × exp(−Δt / S), with the stability S = stability_days × (1 + retrievals), × lasting for
// semantic and procedural traces. A prospective one decays from `remind_ms` on, without it never. A
// clock that was set back decays nothing.
double StrengthAt(const Strength& strength, std::string_view kind, std::optional<int64_t> remind_ms,
                  int64_t now_ms, const StrengthRules& rules);

// The strength after `times` retrievals, the last of them at `now_ms`.
Strength Retrieved(const Strength& strength, std::string_view kind,
                   std::optional<int64_t> remind_ms, int64_t times, int64_t now_ms,
                   const StrengthRules& rules);

}  // namespace memory
