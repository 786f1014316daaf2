// Who may talk to the agent's listener: only a caller that meant this host. Stops web pages that
// were led here by DNS (rebinding) or by a form. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/http/message.h"

namespace sidecar {

// 421 when Host is not localhost, 127.0.0.1 or [::1] (any port); 403 when Origin is set and not
// listed.
std::optional<http::Response> RefuseStranger(const http::Request& request,
                                             const std::vector<std::string>& allowed_origins);

}  // namespace sidecar
