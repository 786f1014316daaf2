// The subcommands of agent-memory-sidecar that do not serve, but `mcp` (mcp_stdio.h). `await` waits
// until a running sidecar is ready, for the postStart hook of pods that may have no startupProbe
// (operator/pods/node_skew.h). `check` reads a policy and recorded events from files and prints
// what the sidecar would do with them, for reviews of policies; it needs no server, no volume, no
// network. `replay` makes sessions, captures and digests of transcripts, for `agent-memory import
// --transcripts`, which finds the transcripts.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace sidecar {

// → the exit code: 0 ready; 1 not ready after --within, and `err` has the reason.
int RunAwait(const std::vector<std::string>& arguments, std::ostream& err);

// `arguments`: those after `check`. → the exit code: 0 checked, 64 bad flags, 65 the policy or an
// event is not valid, 66 a file cannot be read.
int RunCheck(const std::vector<std::string>& arguments, std::istream& in, std::ostream& out,
             std::ostream& err);

// `arguments`: those after `replay`. Returns the exit code: 0 done, 64 bad flags, 65 the plan is
// not valid, 66 it cannot be read, 69 the memory server takes nothing.
int RunReplay(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace sidecar
