// Authorization of shared memory: the interface between its handlers and the grants (access_check.h
// on a cluster, share_file.h without).
#pragma once

#include <string>

#include "lib/base/result.h"
#include "memory/identity/identity.h"

namespace memory {

struct SharedCaller {
  std::string tenant, account;  // of Caller; the account is empty without authentication
  std::string as;               // the name in the request; for --auth none
};

enum class SharedVerb { kGet, kUpdate, kDelete };

// Any thread; may block, with a timeout. Errors: kUnavailable: no decision now.
class SharedAccess {
 public:
  virtual ~SharedAccess() = default;
  // An Agent has all rights on items under its own name.
  virtual base::Result<bool> May(const SharedCaller& caller, SharedVerb verb,
                                 const std::string& owner) = 0;
  virtual base::Result<bool> MayListAll(const SharedCaller& caller) = 0;  // a supervisor
};

}  // namespace memory
