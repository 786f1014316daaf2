// Grants of shared memory without a cluster (--auth none): a file of them, read again when it
// changes, and callers who name themselves (?as=). It keeps honest Agents apart, not hostile ones:
// who can call can take any name.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "lib/api/shared_memory.h"
#include "lib/base/process/clock.h"
#include "memory/identity/shared_access.h"

namespace memory {

class ShareFile : public SharedAccess {
 public:
  // `path` empty: no grants. The file must be there and sound now; a later one that is not leaves
  // the grants before it in force. `clock` outlives this.
  static base::Result<std::unique_ptr<ShareFile>> Open(const std::string& path,
                                                       const base::Clock& clock);
  base::Result<bool> May(const SharedCaller& caller, SharedVerb verb,
                         const std::string& owner) override;
  // Who gives no name is the person at the machine, who sees everything and changes nothing.
  base::Result<bool> MayListAll(const SharedCaller& caller) override { return caller.as.empty(); }

 private:
  ShareFile(std::string path, const base::Clock& clock) : path_(std::move(path)), clock_(clock) {}
  base::Result<bool> Read();  // whether it changed
  void ReadAgain();           // when it is time to look, and it changed

  const std::string path_;
  const base::Clock& clock_;
  std::mutex mutex_;
  int64_t look_ms_ = INT64_MIN;  // monotonic: not before
  std::string text_;             // of the grants in force
  std::string fault_;            // of what was read after it, as it was said; empty: none
  api::SharedGrants grants_;
};

}  // namespace memory
