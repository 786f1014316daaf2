// Which rows of state.db go, why, and in which order: by age, and where the file is over its share
// of the volume. Pure: growth_tables.* finds and deletes them.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>

namespace sidecar {

// In the order in which they go. Writes that are not delivered, dead letters and audit rows that
// nobody read are no kind of these: nothing here removes them.
enum class Growing {
  kAnswers,        // to events, for those that are sent again
  kInjections,     // records of what was put into prompts
  kLedgers,        // of conversations that are not there
  kConversations,  // ended, with all that is kept about them
  kAudit,          // rows that were read
  kMessages,       // the old ones of a conversation that stays
};
inline constexpr Growing kGrowing[] = {Growing::kAnswers, Growing::kInjections,
                                       Growing::kLedgers, Growing::kConversations,
                                       Growing::kAudit,   Growing::kMessages};
const char* NameOf(Growing kind);  // a label's value

// How long each is kept, and how large the file may be. 0: for ever, whatever the size; no limit.
struct GrowthLimits {
  int64_t answers_ms = 0, injections_ms = 0;
  int64_t conversations_ms = 0;  // their messages and ledgers too
  int64_t audit_ms = 0;
  int64_t max_bytes = 0;
  int64_t KeepMs(Growing kind) const;
};

// How large state.db may be on a volume of that size: `setting`, or half of the volume and at most
// kMostStateBytes, for the volume may be the disk of a node.
inline constexpr int64_t kMostStateBytes = int64_t{4} << 30;
int64_t StateLimit(int64_t setting, int64_t volume_bytes);

struct Cut {
  enum class Reason { kAge, kShare };
  Growing kind = Growing::kAnswers;
  Reason reason = Reason::kAge;
  int64_t before_ms = 0;  // kAge: what is older goes; kShare: what was used since then stays
};
const char* NameOf(Cut::Reason reason);

// One round: age first, then size. Removal for size begins above the limit and ends at nine tenths
// of it, so that a full file is not met again a moment later.
class GrowthPlan {
 public:
  // `aged_ms` is the time by which things age, `now_ms` the clock's.
  GrowthPlan(const GrowthLimits& limits, int64_t aged_ms, int64_t now_ms)
      : limits_(limits), aged_ms_(aged_ms), now_ms_(now_ms) {}
  // What to remove a piece of; nullopt: no more. `used_bytes` of the file are in use: pages that
  // deletes freed do not count, since they are used again.
  std::optional<Cut> Next(int64_t used_bytes);
  void NothingLeft(const Cut& cut);  // of this kind, for this reason

 private:
  const GrowthLimits limits_;
  const int64_t aged_ms_, now_ms_;
  bool relieving_ = false;
  std::set<std::pair<Growing, Cut::Reason>> spent_;
};

}  // namespace sidecar
