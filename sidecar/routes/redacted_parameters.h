// Redacts path parameters before a handler reads them: ids are stored redacted, and are found under
// the stored form.
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
