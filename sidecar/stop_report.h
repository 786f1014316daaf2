// What a stop leaves undelivered, said where people and Kubernetes look: the log and the
// container's termination message.
#pragma once

#include <cstdint>
#include <string>

namespace sidecar {

// `termination_log` is the file that the kubelet made for the container; where there is none, or it
// is empty, the log line is all. Nothing is said when nothing is pending.
void ReportUndelivered(int64_t pending, const std::string& termination_log);

}  // namespace sidecar
