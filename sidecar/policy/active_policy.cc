// Decodes the policy and compiles its rules and patterns.
#include "sidecar/policy/active_policy.h"

#include <utility>

#include "lib/base/json/json.h"

namespace sidecar {

base::Result<std::shared_ptr<const ActivePolicy>> CompilePolicy(const std::string& file,
                                                                int64_t now_ms) {
  auto active = std::make_shared<ActivePolicy>();
  ASSIGN_OR_RETURN(const base::Json json, base::ParseJson(file));
  ASSIGN_OR_RETURN(active->policy, api::DecodePolicy(json));
  ASSIGN_OR_RETURN(active->rules, CaptureRules::Compile(active->policy.save_rules,
                                                        active->policy.untrusted_tools));
  ASSIGN_OR_RETURN(active->redactor, redaction::Redactor::Compile(active->policy.redaction));
  active->digest = api::PolicyDigest(file);
  active->loaded_ms = now_ms;
  return std::shared_ptr<const ActivePolicy>(std::move(active));
}

}  // namespace sidecar
