// Reads the limits from the cgroup file system. A container sees its own cgroup as the root,
// whatever path the kernel reports; outside of a container the path applies.
#include "lib/base/process/memory_limit.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "lib/base/process/file.h"
#include "lib/base/text/text.h"

namespace base {
namespace {

// Version 1 reports no limit as the largest multiple of the page size.
constexpr int64_t kNoLimit = int64_t{1} << 60;

void LowerTo(const std::string& file, std::optional<int64_t>& least) {
  const auto text = ReadFile(file, 64);
  if (!text) return;
  const std::string value(Trim(*text));  // "max" is no number
  int64_t bytes = 0;
  const auto read = std::from_chars(value.data(), value.data() + value.size(), bytes);
  if (read.ec != std::errc() || bytes <= 0 || bytes >= kNoLimit) return;
  least = std::min(bytes, least.value_or(bytes));
}

// Lowers `least` to the limits of the cgroup at `path` below `mount` and of its ancestors.
void LowerToLimits(const std::string& mount, std::string path, const char* name,
                   std::optional<int64_t>& least) {
  while (true) {
    LowerTo(mount + path + "/" + name, least);
    const size_t slash = path.rfind('/');
    if (slash == std::string::npos) return;
    path.resize(slash);
  }
}

}  // namespace

std::optional<int64_t> MemoryLimit(const std::string& own, const std::string& root) {
  std::optional<int64_t> least;
  const auto text = ReadFile(own, 64 << 10);
  if (!text) return least;
  for (const std::string& line : Split(*text, '\n')) {  // "4:memory:/path", "0::/path"
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    std::string path = line.substr(second + 1);
    while (path.ends_with('/')) path.pop_back();
    if (controllers.empty()) {
      LowerToLimits(root, path, "memory.max", least);
      LowerToLimits(root + "/unified", path, "memory.max", least);
    }
    const std::vector<std::string> names = Split(controllers, ',');
    if (std::find(names.begin(), names.end(), "memory") != names.end()) {
      LowerToLimits(root + "/memory", path, "memory.limit_in_bytes", least);
    }
  }
  return least;
}

size_t ShareOfMemory(int64_t setting, std::optional<int64_t> limit, int percent, int64_t usual) {
  if (setting > 0) return static_cast<size_t>(setting);
  const int64_t share = limit.value_or(usual) / 100 * percent;
  return static_cast<size_t>(std::clamp<int64_t>(share, 1 << 20, 1 << 30));
}

}  // namespace base
