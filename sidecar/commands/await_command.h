// `agent-memory-sidecar await`: waits until a running sidecar is ready. For the postStart hook of
// pods that may have no startupProbe (operator/pods/node_skew.h).
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace sidecar {

// → the exit code: 0 it is ready; 1 it is not after --within, and `err` has why.
int RunAwait(const std::vector<std::string>& arguments, std::ostream& err);

}  // namespace sidecar
