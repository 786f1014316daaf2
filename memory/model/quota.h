// The quota of a tenant. The engine measures its use.
#pragma once

#include <cstdint>

namespace memory {

// Of one tenant. 0: no limit.
struct TenantQuota {
  int64_t rows = 0;   // memories that are not deleted
  int64_t bytes = 0;  // of the tenant's file, without its free pages
};

}  // namespace memory
