// `agent-memory-sidecar await`: waits until a running sidecar is ready. For the postStart hook of
// pods that may have no startupProbe (operator/pods/node_skew.h).
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace sidecar {

// → the exit code: 0 ready; 1 not ready after --within, and `err` has the reason.
int RunAwait(const std::vector<std::string>& arguments, std::ostream& err);

}  // namespace sidecar
