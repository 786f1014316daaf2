// `agent-memory-sidecar replay`: makes sessions, captures and digests of transcripts. For
// `agent-memory import --transcripts`, which finds the transcripts.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace sidecar {

// `arguments`: those after `replay`. Returns the exit code: 0 done, 64 bad flags, 65 the plan is
// not valid, 66 it cannot be read, 69 the memory server takes nothing.
int RunReplay(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace sidecar
