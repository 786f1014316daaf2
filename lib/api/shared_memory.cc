// Decodes grants strictly, since a misread grant would open or close an Agent's memory.
#include "lib/api/shared_memory.h"

namespace api {

using base::Code;
using base::Error;
using base::Json;
using base::Result;

namespace {

Error Wrong(const std::string& where, const char* what) {
  return Error{Code::kInvalid, where + " " + what};
}

Result<SharedGrant> DecodeGrant(const Json& json, const std::string& where) {
  if (!json.is_object()) return Wrong(where, "must be an object with agents and access");
  SharedGrant grant;
  const Json* agents = base::At(json, {"agents"});
  if (!agents || !agents->is_array()) return Wrong(where + ".agents", "must be a list of names");
  for (const Json& agent : *agents) {
    if (!agent.is_string()) return Wrong(where + ".agents", "must be a list of names");
    grant.agents.push_back(agent.get<std::string>());
  }
  const Json* access = base::At(json, {"access"});
  if (access && *access != "read" && *access != "write")
    return Wrong(where + ".access", "must be read or write");
  grant.writes = access && *access == "write";
  return grant;
}

}  // namespace

Result<std::vector<SharedGrant>> DecodeShare(const Json& share, const std::string& where) {
  std::vector<SharedGrant> grants;
  if (share.is_null()) return grants;
  if (!share.is_array()) return Wrong(where, "must be a list of grants");
  for (const Json& one : share) {
    ASSIGN_OR_RETURN(SharedGrant grant,
                     DecodeGrant(one, where + "[" + std::to_string(grants.size()) + "]"));
    grants.push_back(std::move(grant));
  }
  return grants;
}

Result<SharedGrants> DecodeSharedGrants(const Json& json) {
  if (!json.is_object()) return Error{Code::kInvalid, "must be an object of Agents and grants"};
  SharedGrants grants;
  for (const auto& [owner, share] : json.items()) {
    ASSIGN_OR_RETURN(grants[owner], DecodeShare(share, owner));
  }
  return grants;
}

}  // namespace api
