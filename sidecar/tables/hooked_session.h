// Reads what hooks stored about a session from the state.db of a sidecar, which may be running.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "lib/base/result.h"

namespace sidecar {

struct HookedSession {
  int64_t since_ms = 0;      // its first event
  std::string first_prompt;  // as stored: redacted; empty: none
  std::set<std::string> calls;
};

// The agent's session `id` in the file; nullopt: it is not in it, or there is no file. Changes
// nothing.
base::Result<std::optional<HookedSession>> FindHookedSession(const std::string& file,
                                                             const std::string& id);

}  // namespace sidecar
