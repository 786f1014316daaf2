// Reports undelivered writes at the end of the sidecar, in the log and in the container's
// termination message. Counts and ids, never content.
#pragma once

#include <cstdint>
#include <string>

namespace sidecar {

struct TerminationReport {
  bool task = false;         // a task always reports, for the status of its AgentRun
  int64_t undelivered = 0;   // pending writes; < 0: unknown
  std::string session = {};  // of the run; may be empty
};

// Writes {"session", "undelivered", "note"} as JSON without empty fields; operator/run/status.cc
// reads it. `termination_log` is the file that the kubelet made for the container; without the file
// only the log has the report. A daemon that delivered everything reports nothing.
void WriteTerminationMessage(const TerminationReport& words, const std::string& termination_log);

}  // namespace sidecar
