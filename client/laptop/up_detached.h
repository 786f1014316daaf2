// Starts `agent-memory up` so that it outlives the one who asked: a session of its own, output into
// up.log. For `up --detach`, and for hooks that find nobody.
#pragma once

#include "client/laptop/front.h"

namespace client {

// The one that runs, also when it is just coming up; kNotFound: none does.
base::Result<Front> WaitForFront(const Home& home, int64_t wait_ms);

// Returns when it is up, also when somebody else started it meanwhile.
base::Result<Front> StartDetached(const Home& home, int64_t wait_ms);

// The one that runs, else a new one, unless `down` was said: kNotFound.
base::Result<Front> ReachOrStart(const Home& home, int64_t wait_ms);

}  // namespace client
