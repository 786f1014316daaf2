// Redacts path parameters before a handler reads them, since ids are stored and found in redacted
// form.
#pragma once

#include <vector>

#include "lib/http/message/router.h"
#include "sidecar/policy/policy_watch.h"

namespace sidecar {

// The routes with handlers that get redacted path parameters; numbers stay unchanged. `policies`
// must outlive the routes.
std::vector<http::Route> WithRedactedNames(std::vector<http::Route> routes,
                                           const PolicyWatch& policies);

}  // namespace sidecar
