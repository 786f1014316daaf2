// Says no to a tool call before it runs: blocked commands and paths outside the allowed ones. Words
// are read as a shell reads them; what cannot be read, or is only known when it runs, is denied.
// What a program does with its words is not known here. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "lib/api/hook_event.h"
#include "lib/api/policy.h"

namespace sidecar {

// An absolute path with its links followed as far as they can be seen from here.
using RealPath = std::function<std::string(const std::string& path)>;

// Why the call is denied; empty: it is not. A path must be allowed as written and as `real_path`
// gives it. Relative ones begin in the event's cwd and in every directory that the command changes
// to.
std::string DenialReason(const api::Policy& policy, const api::HookEvent& event,
                         const RealPath& real_path);

// An absolute path without ".", ".." and double slashes; `path` is relative to `directory` unless
// it starts with '/'. Pure text: links are not followed.
std::string NormalPath(std::string_view path, std::string_view directory);

}  // namespace sidecar
