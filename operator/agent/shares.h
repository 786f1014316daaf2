// spec.memory.share: the Agents to which an Agent grants its shared memory, and their
// ServiceAccounts. Pure.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "lib/api/agent.h"
#include "operator/agent/observed_agent.h"

namespace controller {

struct Shares {
  // Names of Agents, sorted, each once: writers are not in `readers`.
  std::vector<std::string> readers, writers, missing;
  // Of existing Agents. `writing_accounts` also has the Agent's own account if it is not
  // AgentAccount(name), by which the server recognizes the owner.
  std::vector<std::string> reading_accounts, writing_accounts;
};

// The Agents in spec.memory.share, without the Agent itself.
std::set<kube::ObjectKey> SharedWith(const base::Json& agent);
Shares SharesOf(const api::Agent& agent, const ObservedAgent& observed);

}  // namespace controller
