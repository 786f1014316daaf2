// The interface for reviewing tokens: the API server (api_reviewer.h), the cluster's published keys
// (jwks_reviewer.h), or a fake in tests.
#pragma once

#include "memory/identity/identity.h"

namespace memory {

class TokenReviewer {
 public:
  virtual ~TokenReviewer() = default;
  // Blocking, with a timeout; any thread. A refused token is a value. Errors: kDenied: this server
  // may not review; any other: no answer about the token.
  virtual base::Result<memory::Review> Look(const std::string& token) = 0;
};

}  // namespace memory
