// Names in the path of a request lose their secrets before a handler sees them, as those of bodies
// do, so that a name is found under what it was stored as.
#pragma once

#include <vector>

#include "lib/http/message/router.h"
#include "sidecar/policy/policy_watch.h"

namespace sidecar {

// The routes with handlers that get redacted path parameters; numbers stay as they are. `policies`
// must outlive them.
std::vector<http::Route> WithRedactedNames(std::vector<http::Route> routes,
                                           const PolicyWatch& policies);

}  // namespace sidecar
