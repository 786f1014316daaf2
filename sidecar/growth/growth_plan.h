// Decides which rows of state.db are evicted and in which order: by age, and by size when the file
// is over its limit. growth_tables.h finds and deletes rows. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>

namespace sidecar {

// Kinds of rows in their order of eviction, the least valuable first. Pending writes, dead letters
// and unread audit rows are never evicted.
enum class EvictionClass {
  kAnswers,        // the answers to hook events, for deduplication
  kInjections,     // records of what was put into prompts
  kLedgers,        // of unknown conversations
  kConversations,  // ended, with all that is kept about them
  kAudit,          // read rows
  kMessages,       // old messages of a conversation that is not evicted
};
inline constexpr EvictionClass kEvictionOrder[] = {
    EvictionClass::kAnswers,       EvictionClass::kInjections, EvictionClass::kLedgers,
    EvictionClass::kConversations, EvictionClass::kAudit,      EvictionClass::kMessages};
const char* NameOf(EvictionClass kind);  // a label's value

// How long each kind is kept, and how large the file may be. 0: no limit.
struct GrowthLimits {
  int64_t answers_ms = 0, injections_ms = 0;
  int64_t conversations_ms = 0;  // their messages and ledgers too
  int64_t audit_ms = 0;
  int64_t max_bytes = 0;
  int64_t KeepMs(EvictionClass kind) const;
};

// The size limit of state.db on a volume of `volume_bytes`: `setting`; when that is 0, half of the
// volume and at most kMostStateBytes, since the volume may be the disk of a node.
inline constexpr int64_t kMostStateBytes = int64_t{4} << 30;
int64_t StateLimit(int64_t setting, int64_t volume_bytes);

// The rows to evict next.
struct Cut {
  enum class Reason { kAge, kShare };
  EvictionClass kind = EvictionClass::kAnswers;
  Reason reason = Reason::kAge;
  int64_t before_ms = 0;  // kAge: evicts older rows; kShare: keeps rows used since then
};
const char* NameOf(Cut::Reason reason);

// One round: age first, then size. Eviction by size begins above the limit and ends at nine tenths
// of it (hysteresis).
class GrowthPlan {
 public:
  // `aged_ms` is the retention clock (pruning.h), `now_ms` the wall clock.
  GrowthPlan(const GrowthLimits& limits, int64_t aged_ms, int64_t now_ms)
      : limits_(limits), aged_ms_(aged_ms), now_ms_(now_ms) {}
  // The next cut to remove a piece of; nullopt: the round ends. `used_bytes`: the pages in use,
  // without free pages.
  std::optional<Cut> Next(int64_t used_bytes);
  void SetExhausted(const Cut& cut);  // the cut has no rows left

 private:
  const GrowthLimits limits_;
  const int64_t aged_ms_, now_ms_;
  bool relieving_ = false;
  std::set<std::pair<EvictionClass, Cut::Reason>> exhausted_;
};

}  // namespace sidecar
