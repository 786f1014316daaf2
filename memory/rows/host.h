// Opens transactions and snapshots over the rows of one kind.
#pragma once

#include <functional>

#include "lib/base/result.h"

namespace memory {

// Any thread.
template <class Rows>
class RowHost {
 public:
  using Work = std::function<base::Status(Rows&)>;
  enum class Space { kConsumes, kFrees };  // a full volume refuses kConsumes

  virtual ~RowHost() = default;
  virtual base::Status Admit() = 0;  // before a write that grows the tenant. kFull: its quota
  virtual base::Status Read(const Work& work) = 0;
  virtual base::Status ReadUnhurried(const Work& work) = 0;  // for background rounds
  // Returns after the commit. May run `work` again after a failed commit.
  virtual base::Status Write(const Work& work, Space space = Space::kConsumes) = 0;
};

}  // namespace memory
