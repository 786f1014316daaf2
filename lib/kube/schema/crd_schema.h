// Applies the structural schema of a CustomResourceDefinition to an object like an API server:
// unknown fields, nulls, defaults, then types, limits and CEL rules. So `render` and tests report
// the faults of `kubectl apply` without a server. Pure. Only the subset of OpenAPI that CRDs may
// use.
#pragma once

#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace kube {

class CrdSchema {
 public:
  // The storage version of a CustomResourceDefinition; kInvalid: not one, or without a schema.
  static base::Result<CrdSchema> Read(const base::Json& definition);

  const std::string& api_version() const { return api_version_; }  // agents.agentops.io/v1alpha1
  const std::string& kind() const { return kind_; }

  // Drops nulls (they equal absent) and adds defaults; returns every fault with its path, worded
  // like the API server's: "spec.x: Invalid value: 51: …", `unknown field "spec.y"`. Evaluates CEL
  // rules only without other faults. `old`: the object before an update, for rules with oldSelf.
  std::vector<std::string> Admit(base::Json& object, const base::Json* old = nullptr) const;

  // The texts of all CEL rules, for tests.
  std::vector<std::string> Rules() const;

 private:
  base::Json schema_;
  std::string api_version_, kind_;
};

}  // namespace kube
