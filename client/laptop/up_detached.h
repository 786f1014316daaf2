// Starts `agent-memory up` in its own session, so that it outlives the caller, with output to
// up.log. For `up --detach`, and for hooks while memory is not up.
#pragma once

#include "client/laptop/front.h"

namespace client {

// The running supervisor; waits while it is coming up. kNotFound: none.
base::Result<Front> WaitForFront(const Home& home, int64_t wait_ms);

// Returns when memory is up, also if another process started it.
base::Result<Front> StartDetached(const Home& home, int64_t wait_ms);

// Starts it without waiting for it.
base::Status StartInBackground(const Home& home);

// The running supervisor, else a new one, also for one that is hung; kNotFound after `down`.
base::Result<Front> ReachOrStart(const Home& home, int64_t wait_ms);

}  // namespace client
