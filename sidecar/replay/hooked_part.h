// Which part of a session hooks saw. Pure.
#pragma once

#include "sidecar/policy/active_policy.h"
#include "sidecar/replay/transcript_events.h"
#include "sidecar/tables/hooked_session.h"

namespace sidecar {

// The part of a session from its first event that a hook saw.
class HookedPart {
 public:
  explicit HookedPart(HookedSession session) : session_(std::move(session)) {}
  // Call it with the events in their order: an event is in it if it came after the first hook, has
  // the first prompt or is one of the calls, or follows such an event.
  bool Has(const PastEvent& event, const ActivePolicy& policy);

 private:
  HookedSession session_;
  bool begun_ = false;
};

}  // namespace sidecar
