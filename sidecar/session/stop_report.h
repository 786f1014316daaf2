// The last words of a sidecar, said where people and the operator look: the log and the container's
// termination message. Counts and ids, never content.
#pragma once

#include <cstdint>
#include <string>

namespace sidecar {

struct LastWords {
  bool task = false;         // a task always says them: its AgentRun's status has them
  int64_t undelivered = 0;   // writes that still wait; < 0: nobody knows
  std::string session = {};  // of the run; may be empty
};

// {"session", "undelivered", "note"} as JSON, each where there is something to say; the operator
// reads it in run_status.cc. `termination_log` is the file that the kubelet made for the container;
// where there is none, or it is empty, the log line is all. A daemon that delivered everything says
// nothing.
void ReportStop(const LastWords& words, const std::string& termination_log);

}  // namespace sidecar
