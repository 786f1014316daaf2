// spec.memory.share: whom an Agent grants its shared memory, and by which ServiceAccounts they
// come. Pure.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "lib/api/agent.h"
#include "operator/agent/observed_agent.h"

namespace controller {

struct Shares {
  // Names of Agents, in alphabetical order, each once: who may write is no reader besides.
  std::vector<std::string> readers, writers, missing;
  // Of those that are there; in the latter also the Agent's own, when the server cannot tell by its
  // name whose it is.
  std::vector<std::string> reading_accounts, writing_accounts;
};

// The Agents that the list names, itself not among them.
std::set<kube::ObjectKey> SharedWith(const base::Json& agent);
Shares SharesOf(const api::Agent& agent, const ObservedAgent& observed);

}  // namespace controller
