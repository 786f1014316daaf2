// `agent-memory-sidecar check`: reads a policy and recorded events from files and prints what the
// sidecar would do with them. For reviews of policies; needs no server, no volume, no network.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace sidecar {

// `arguments`: those after `check`. → the exit code: 0 checked, 64 bad flags, 65 the policy or an
// event is not valid, 66 a file cannot be read.
int RunCheck(const std::vector<std::string>& arguments, std::istream& in, std::ostream& out,
             std::ostream& err);

}  // namespace sidecar
