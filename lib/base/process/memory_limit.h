// How much memory the kernel lets this process have, by its cgroup (version 1 or 2), and shares of
// it. Not what it uses: that is a metric.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace base {

// The least limit of the process's own cgroup and of those above it; nullopt: there is none that
// can be read. `own` is /proc/self/cgroup, `root` where cgroups are mounted.
std::optional<int64_t> MemoryLimit(const std::string& own = "/proc/self/cgroup",
                                   const std::string& root = "/sys/fs/cgroup");

// What a setting of bytes comes to: its value, or, where that is 0, `percent` of the memory limit;
// without a limit, of `usual`. Between 1 MiB and 1 GiB. Pure.
size_t ShareOfMemory(int64_t setting, std::optional<int64_t> limit, int percent, int64_t usual);

}  // namespace base
