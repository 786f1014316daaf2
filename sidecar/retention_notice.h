// Tells the memory server how long and how many memories of the project are kept, when the policy
// says so. What the rules mean is the server's to know.
#pragma once

#include <vector>

#include "lib/api/policy.h"
#include "sidecar/outbox.h"
#include "sidecar/state.h"
#include "sidecar/state_retention.h"

namespace sidecar {

// What is to be told once `now` is in force: rules that changed, or all at a start, for the server
// may be another one; and that rules are taken back where they do not come from any more, another
// project or server included. An Agent that told none takes none away from another of its project;
// one that told some does, for a project has one list: the last one told. While the policy names no
// server nothing is told. Empty rules: taken back. Pure.
std::vector<RetentionTold> RetentionNotices(const std::vector<RetentionTold>& told,
                                            const api::Policy& now, bool at_start);

// Puts the notices into the outbox and notes them, in one commit: they reach the server in order,
// and survive that it is away.
base::Status TellRetention(State& state, const api::Policy& now, bool at_start,
                           const OutboxLimits& limits, int64_t now_ms);

}  // namespace sidecar
