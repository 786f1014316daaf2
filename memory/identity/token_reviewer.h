// The seam to whoever knows tokens: the API server (api_reviewer.h), the cluster's published keys
// (jwks_reviewer.h), a fake in tests.
#pragma once

#include "memory/identity/identity.h"

namespace memory {

class TokenReviewer {
 public:
  virtual ~TokenReviewer() = default;
  // Blocking, bounded by a time-out; any thread. A token that is no good is a value. Errors:
  // kDenied: we may not ask; any other: nobody answered, the token is neither good nor bad.
  virtual base::Result<memory::Review> Look(const std::string& token) = 0;
};

}  // namespace memory
