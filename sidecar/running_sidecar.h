// The sidecar as one object: its parts, built in order and drained in the reverse one.
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
  // Takes no more events, tells the server the open sessions' summaries or, of a task, ends them,
  // delivers what it can inside drain-timeout; the rest stays in state.db. → writes that still
  // wait.
  int64_t Stop();

 private:
  struct Parts;
  explicit RunningSidecar(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace sidecar
