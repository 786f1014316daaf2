// A small table under a lock: whole walks are fine at its size.
#include "sidecar/mcp_sessions.h"

#include <algorithm>

#include "lib/base/text.h"

namespace sidecar {
namespace {
constexpr size_t kNameBytes = 32;
}

std::string McpSessions::Begin(const std::string& revision) {
  const int64_t now_ms = clock_.MonotonicMs();
  std::string name = base::RandomHex(kNameBytes);
  table_.With([&](Table& table) {
    Forget(table, now_ms);
    if (table.size() >= limits_.sessions) {
      table.erase(std::ranges::min_element(table, {},
                                           [](const auto& entry) { return entry.second.used_ms; }));
    }
    table[name] = {revision, now_ms};
  });
  return name;
}

std::optional<std::string> McpSessions::RevisionOf(const std::string& name) {
  const int64_t now_ms = clock_.MonotonicMs();
  return table_.With([&](Table& table) -> std::optional<std::string> {
    Forget(table, now_ms);
    const auto found = table.find(name);
    if (found == table.end()) return std::nullopt;
    found->second.used_ms = now_ms;
    return found->second.revision;
  });
}

bool McpSessions::End(const std::string& name) {
  return table_.With([&](Table& table) { return table.erase(name) > 0; });
}

void McpSessions::Forget(Table& table, int64_t now_ms) const {
  std::erase_if(table,
                [&](const auto& entry) { return now_ms - entry.second.used_ms > limits_.idle_ms; });
}

}  // namespace sidecar
