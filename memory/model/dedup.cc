// The three tiers, in order.
#include "memory/model/dedup.h"

#include <cstdlib>

#include "lib/api/memory_api.h"

namespace memory {

bool MayChange(const std::string& row_origin, const std::string& writer, bool replace_user) {
  return replace_user || row_origin != api::kOriginUser || writer == api::kOriginUser;
}

Decision Decide(const std::vector<Candidate>& candidates, const Incoming& incoming,
                int64_t window_ms) {
  if (!incoming.topic_key.empty()) {
    for (const Candidate& row : candidates) {
      if (row.topic_key == incoming.topic_key && row.scope == incoming.scope)
        return {MayChange(row.origin, incoming.origin, incoming.replace_user) ? Tier::kTopic
                                                                              : Tier::kUsersTopic,
                row.row};
    }
    return {Tier::kNew, 0};
  }
  const Candidate* newest = nullptr;
  for (const Candidate& row : candidates) {
    bool same = row.hash == incoming.hash && row.scope == incoming.scope &&
                row.type == incoming.type && row.rule == incoming.rule;
    // A row from "the future" is one written before the clock was set back: the distance counts.
    if (!same || std::abs(incoming.now_ms - row.content_ms) > window_ms) continue;
    if (!newest || row.content_ms > newest->content_ms) newest = &row;
  }
  if (newest) return {Tier::kHash, newest->row};
  return {Tier::kNew, 0};
}

}  // namespace memory
