// The sessions that revisions before 2026-07-28 have: an unguessable name, nothing
// else: what is served does not depend on the agreed revision. A name is no authentication: it says
// which conversation a request belongs to, and the listener has already decided who may call.
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
    size_t sessions = 256;          // more: the one that was silent longest goes
    int64_t idle_ms = 60 * 60'000;  // then it is forgotten
  };
  McpSessions(const base::Clock& clock, Limits limits) : clock_(clock), limits_(limits) {}

  std::string Begin();  // → its name: 256 random bits
  // A session that is known lives on; false: unknown, ended, forgotten.
  bool Touch(const std::string& name);
  bool End(const std::string& name);  // false: not known

 private:
  using Table = std::map<std::string, int64_t>;  // by name: when it was used
  void Forget(Table& table, int64_t now_ms) const;

  const base::Clock& clock_;
  const Limits limits_;
  base::Guarded<Table> table_;
};

}  // namespace sidecar
