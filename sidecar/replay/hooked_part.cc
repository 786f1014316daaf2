// Not by time alone: a transcript may come from another machine's clock.
#include "sidecar/replay/hooked_part.h"

namespace sidecar {
namespace {

// The agent writes a prompt into its transcript before its hooks start, and these may start memory.
constexpr int64_t kHookSlackMs = 60'000;

}  // namespace

bool HookedPart::Has(const PastEvent& past, const ActivePolicy& policy) {
  const api::HookEvent& event = past.event;
  if (begun_) return true;
  begun_ = past.at_ms >= session_.since_ms - kHookSlackMs ||
           (!event.tool_use_id.empty() && session_.calls.contains(event.tool_use_id));
  if (begun_ || event.prompt.empty() || session_.first_prompt.empty()) return begun_;
  redaction::Redactor::Counts counts;
  begun_ = event.prompt == session_.first_prompt ||
           policy.redactor.Redact(event.prompt, counts) == session_.first_prompt;
  return begun_;
}

}  // namespace sidecar
