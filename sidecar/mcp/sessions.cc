// A small table under a lock, scanned as a whole.
#include "sidecar/mcp/sessions.h"

#include <algorithm>

#include "lib/base/process/random.h"

namespace sidecar {
namespace {
constexpr size_t kNameBytes = 32;
}

std::string McpSessions::Begin(const std::string& mark) {
  const int64_t now_ms = clock_.MonotonicMs();
  std::string name = base::RandomHex(kNameBytes) + mark;
  table_.With([&](Table& table) {
    Forget(table, now_ms);
    if (table.size() >= limits_.sessions) {
      table.erase(std::ranges::min_element(table, {}, &Table::value_type::second));
    }
    table[name] = now_ms;
  });
  return name;
}

bool McpSessions::Touch(const std::string& name) {
  const int64_t now_ms = clock_.MonotonicMs();
  return table_.With([&](Table& table) {
    Forget(table, now_ms);
    const auto found = table.find(name);
    if (found == table.end()) return false;
    found->second = now_ms;
    return true;
  });
}

bool McpSessions::End(const std::string& name) {
  return table_.With([&](Table& table) { return table.erase(name) > 0; });
}

void McpSessions::Forget(Table& table, int64_t now_ms) const {
  std::erase_if(table, [&](const auto& entry) { return now_ms - entry.second > limits_.idle_ms; });
}

}  // namespace sidecar
