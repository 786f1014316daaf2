// Grants to a missing Agent have no effect: another user may create an Agent of that name later.
#include "operator/agent/shares.h"

#include "lib/api/shared_memory.h"

namespace controller {
namespace {

using base::Json;

// The granted Agents: with write access if `writes`, else with read access.
std::set<std::string> NamesOf(const Json& spec, bool writes) {
  std::set<std::string> names;
  const Json* share = base::At(spec, {"memory", "share"});
  if (!share) return names;
  const auto grants = api::DecodeShare(*share, "share");
  if (!grants) return names;  // impossible after validation by the schema
  for (const api::SharedGrant& grant : *grants)
    if (grant.writes == writes) names.insert(grant.agents.begin(), grant.agents.end());
  return names;
}

// The ServiceAccount of the Agent's pods.
std::string AccountOf(const std::string& agent, const Json& spec) {
  const std::string named = base::StringAt(spec, {"template", "spec", "serviceAccountName"});
  return named.empty() ? api::AgentAccount(agent) : named;
}

}  // namespace

std::set<kube::ObjectKey> SharedWith(const Json& agent) {
  std::set<kube::ObjectKey> keys;
  const kube::ObjectKey self = kube::KeyOf(agent);
  const Json* spec = base::At(agent, {"spec"});
  if (!spec) return keys;
  for (bool writes : {false, true})
    for (const std::string& name : NamesOf(*spec, writes))
      if (name != self.name) keys.insert({self.name_space, name});
  return keys;
}

Shares SharesOf(const api::Agent& agent, const ObservedAgent& observed) {
  Shares shares;
  if (!agent.memory) return shares;
  const std::set<std::string> writers = NamesOf(agent.spec, true);
  std::set<std::string> reading, writing, missing;
  if (const std::string own = AccountOf(agent.name, agent.spec);
      own != api::AgentAccount(agent.name))
    writing.insert(own);
  auto grant = [&](const std::set<std::string>& names, bool writes) {
    for (const std::string& name : names) {
      if (name == agent.name || (!writes && writers.contains(name))) continue;
      const auto found = observed.agents.find({agent.name_space, name});
      if (found == observed.agents.end()) {
        missing.insert(name);
        continue;
      }
      (writes ? shares.writers : shares.readers).push_back(name);
      (writes ? writing : reading).insert(AccountOf(name, found->second.value("spec", Json())));
    }
  };
  grant(NamesOf(agent.spec, false), false);
  grant(writers, true);
  shares.missing.assign(missing.begin(), missing.end());
  for (const std::string& account : reading)
    if (!writing.contains(account)) shares.reading_accounts.push_back(account);
  shares.writing_accounts.assign(writing.begin(), writing.end());
  return shares;
}

}  // namespace controller
