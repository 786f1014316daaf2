// Who may do what with shared memory: the seam between its handlers and what knows the grants
// (access_check.h on a cluster, share_file.h without).
#pragma once

#include <string>

#include "lib/base/result.h"
#include "memory/identity/identity.h"

namespace memory {

struct SharedCaller {
  std::string tenant, account;  // as in Caller; the account is empty where nobody is asked
  std::string as;               // the name that the request gives itself; counts with --auth none
};

enum class SharedVerb { kGet, kUpdate, kDelete };

// Any thread; may block, bounded. Errors: kUnavailable: nobody can say now.
class SharedAccess {
 public:
  virtual ~SharedAccess() = default;
  // An Agent may do everything with what is under its own name.
  virtual base::Result<bool> May(const SharedCaller& caller, SharedVerb verb,
                                 const std::string& owner) = 0;
  virtual base::Result<bool> MayListAll(const SharedCaller& caller) = 0;  // a supervisor
};

}  // namespace memory
