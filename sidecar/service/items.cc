// A key is redacted like the value, since the server stores both.
#include "sidecar/service/items.h"

namespace sidecar {

std::string ItemPath(const ActivePolicy& policy, const std::string& key) {
  redaction::Redactor::Counts counts;
  return "/items/" + http::PercentEncode(policy.redactor.Redact(key, counts));
}

AgentMemory::Resource ConsiderCall(const api::Policy& policy, base::Json body) {
  if (body.is_object()) {
    body.erase("rules");
    if (!policy.store_rules.empty()) body["rules"] = api::EncodeStoreRules(policy.store_rules);
  }
  return {"POST", "/items/consider", {}, std::move(body), {}, {}};
}

}  // namespace sidecar
