// What a tenant may keep. The engine counts what the tenant keeps.
#pragma once

#include <cstdint>

namespace memory {

// Of one tenant. 0: no limit.
struct TenantQuota {
  int64_t rows = 0;   // memories that are not deleted
  int64_t bytes = 0;  // of the tenant's file, without what deletes gave back inside it
};

}  // namespace memory
