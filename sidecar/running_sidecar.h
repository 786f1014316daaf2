// The running sidecar: builds its parts in order and drains them in reverse.
#pragma once

#include <memory>
#include <string>

#include "lib/base/process/clock.h"
#include "lib/base/result.h"
#include "sidecar/sidecar_settings.h"

namespace sidecar {

class RunningSidecar {
 public:
  // Opens state.db, puts the last good policy into force, starts the threads and both listeners.
  // The caller holds the lock of the data directory.
  static base::Result<std::unique_ptr<RunningSidecar>> Start(const SidecarSettings& settings,
                                                             const base::Clock& clock);
  ~RunningSidecar();
  std::string api_address() const;
  std::string admin_address() const;
  // Refuses new events, enqueues interim summaries of open sessions (a task's sessions end),
  // delivers within drain-timeout; undelivered writes stay in state.db. → pending writes.
  int64_t Stop();

 private:
  struct Parts;
  explicit RunningSidecar(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace sidecar
