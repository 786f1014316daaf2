// Starts `agent-memory up` in its own session, so that it outlives the caller, with output to
// up.log. For `up --detach`, and for hooks while memory is not up.
#pragma once

#include <string>
#include <vector>

#include "client/laptop/control.h"

namespace client {

// The running supervisor; waits while it is coming up. kNotFound: none.
base::Result<ControlClient> WaitForControl(const Home& home, int64_t wait_ms);

// Returns when memory is up, also if another process started it.
base::Result<ControlClient> StartDetached(const Home& home, int64_t wait_ms);

// Starts it without waiting for it, unless `down` stopped it.
base::Status StartInBackground(const Home& home);

// Starts another command of this program ("mirror", …) without waiting for it, with its output in
// `log`.
base::Status RunInBackground(const Home& home, const std::vector<std::string>& words,
                             const std::string& log);

// The running supervisor, else a new one, also for one that is hung; kNotFound after `down`.
base::Result<ControlClient> ReachOrStart(const Home& home, int64_t wait_ms);

// kInvalid: what people hear whose command needs memory after `down`.
base::Error StoppedByDown();

}  // namespace client
