// Says no to a tool call before it runs: blocked commands and paths outside the allowed ones. Words
// only: links are not resolved and shell syntax is not parsed. Pure.
#pragma once

#include <string>
#include <string_view>

#include "lib/api/hook_event.h"
#include "lib/api/policy.h"

namespace sidecar {

// Why the call is denied; empty: it is not.
std::string DenialReason(const api::Policy& policy, const api::HookEvent& event);

// An absolute path without ".", ".." and double slashes; `path` is relative to `directory` unless
// it starts with '/'. Pure text: links are not followed.
std::string NormalPath(std::string_view path, std::string_view directory);

}  // namespace sidecar
