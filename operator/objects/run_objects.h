// The builders of what an AgentRun owns: its Job, and beside it the volume and the prompt's file
// where it has them. As agent_objects.h: each reads like the manifest that it makes. Pure.
#pragma once

#include <optional>

#include "lib/api/agent_run.h"
#include "operator/objects/blueprint.h"

namespace controller {

// A prompt of up to so many bytes is an environment variable; Linux takes none over 128 KiB.
inline constexpr size_t kMostPromptBytesInVariable = 32 << 10;

// Kubernetes reads $(NAME) in an argument or a variable as a reference and $$ as $: with this the
// text arrives as it is.
std::string Verbatim(const std::string& text);

// `blueprint` is the Agent's.
base::Json JobOf(const Blueprint& blueprint, const api::AgentRun& run);
std::optional<base::Json> RunClaimOf(const api::AgentRun& run);  // nullopt: no volume of its own
std::optional<base::Json> PromptConfigMapOf(const api::AgentRun& run);  // nullopt: short, or none

}  // namespace controller
