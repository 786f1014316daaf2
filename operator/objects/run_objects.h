// Builders of an AgentRun's objects: its Job and, optionally, a claim and the ConfigMap of the
// prompt. Like in agent_objects.h, each reads like the manifest that it returns. Pure.
#pragma once

#include <optional>

#include "lib/api/agent_run.h"
#include "operator/objects/blueprint.h"

namespace controller {

// A longer prompt is a mounted file: Linux limits an environment variable to 128 KiB.
inline constexpr size_t kMostPromptBytesInVariable = 32 << 10;

// Doubles every $: Kubernetes expands $(NAME) in arguments and variables, and reads $$ as $.
std::string Verbatim(const std::string& text);

// `blueprint` is the Agent's.
base::Json JobOf(const Blueprint& blueprint, const api::AgentRun& run);
std::optional<base::Json> RunClaimOf(const api::AgentRun& run);  // nullopt: no volume of its own
std::optional<base::Json> PromptConfigMapOf(const api::AgentRun& run);  // nullopt: short or empty

}  // namespace controller
