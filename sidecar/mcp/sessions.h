// The sessions of revisions before 2026-07-28: an unguessable name and its last use. The answers do
// not depend on the agreed revision. A session name is no authentication; the listener decides who
// may call.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "lib/base/guarded.h"
#include "lib/base/process/clock.h"

namespace sidecar {

class McpSessions {
 public:
  struct Limits {
    size_t sessions = 256;          // LRU
    int64_t idle_ms = 60 * 60'000;  // then the session is forgotten
  };
  McpSessions(const base::Clock& clock, Limits limits) : clock_(clock), limits_(limits) {}

  std::string Begin(const std::string& mark = "");  // → its name: 256 random bits and `mark`
  // Marks a use; false: unknown, ended or forgotten.
  bool Touch(const std::string& name);
  bool End(const std::string& name);  // false: unknown

 private:
  using Table = std::map<std::string, int64_t>;  // name → last use
  void Forget(Table& table, int64_t now_ms) const;

  const base::Clock& clock_;
  const Limits limits_;
  base::Guarded<Table> table_;
};

}  // namespace sidecar
