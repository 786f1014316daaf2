// The memory limit of this process by its cgroup (version 1 or 2), and shares of it. A metric has
// the memory in use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace base {

// The lowest limit of the process's cgroup and its ancestors; nullopt: no readable limit. `own`:
// /proc/self/cgroup; `root`: the mount point of the cgroups.
std::optional<int64_t> MemoryLimit(const std::string& own = "/proc/self/cgroup",
                                   const std::string& root = "/sys/fs/cgroup");

// The bytes of a setting: its value, or for 0 `percent` of `limit` (without one, of `usual`),
// between 1 MiB and 1 GiB. Pure.
size_t ShareOfMemory(int64_t setting, std::optional<int64_t> limit, int percent, int64_t usual);

}  // namespace base
