// Grants of shared memory without a cluster (--auth none): a file that is read again when it
// changes, and callers who name themselves (?as=). It separates honest Agents, not hostile ones:
// any caller can use any name.
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
  // `path` empty: no grants. The file must be valid now; after an invalid change the earlier grants
  // stay in force. `clock` outlives this.
  static base::Result<std::unique_ptr<ShareFile>> Open(const std::string& path,
                                                       const base::Clock& clock);
  base::Result<bool> May(const SharedCaller& caller, SharedVerb verb,
                         const std::string& owner) override;
  // A caller without a name is the person at the machine, who sees everything and changes nothing.
  base::Result<bool> MayListAll(const SharedCaller& caller) override { return caller.as.empty(); }

 private:
  ShareFile(std::string path, const base::Clock& clock) : path_(std::move(path)), clock_(clock) {}
  base::Result<bool> Read();  // whether it changed
  void ReadAgain();           // at most once a second

  const std::string path_;
  const base::Clock& clock_;
  std::mutex mutex_;
  int64_t look_ms_ = INT64_MIN;  // monotonic: not before
  std::string text_;             // of the grants in force
  std::string fault_;            // the logged error of a later version; empty: none
  api::SharedGrants grants_;
};

}  // namespace memory
