// The seam to whoever knows tokens: the API server (review_by_api.h), the cluster's published keys
// (review_by_keys.h), a fake in tests.
#pragma once

#include "memory/identity.h"

namespace memory {

class TokenReviewer {
 public:
  virtual ~TokenReviewer() = default;
  // Blocking, bounded by a time-out; any thread. A token that is no good is a value. Errors:
  // kDenied: we may not ask; any other: nobody answered, the token is neither good nor bad.
  virtual base::Result<memory::Review> Look(const std::string& token) = 0;
};

}  // namespace memory
