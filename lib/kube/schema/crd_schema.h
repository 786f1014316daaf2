// The structural schema of a CustomResourceDefinition, applied to an object as an API server does
// it: unknown fields, nulls, defaults, then types, limits and CEL rules. So that `render` and tests
// say what `kubectl apply` would say, without a server. Pure. Not for OpenAPI at large: only what
// CRDs may use.
#pragma once

#include <string>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace kube {

class CrdSchema {
 public:
  // The storage version of a CustomResourceDefinition; kInvalid when it is none.
  static base::Result<CrdSchema> Read(const base::Json& definition);

  const std::string& api_version() const { return api_version_; }  // agents.agentops.io/v1alpha1
  const std::string& kind() const { return kind_; }

  // Drops nulls (they equal absent) and puts in the defaults; returns every fault with its path,
  // worded like the API server's: "spec.x: Invalid value: 51: …", `unknown field "spec.y"`. Rules
  // are looked at when nothing else is wrong. `old`: the object before an update, for rules about
  // changes.
  std::vector<std::string> Admit(base::Json& object, const base::Json* old = nullptr) const;

  // The texts of all CEL rules, for tests.
  std::vector<std::string> Rules() const;

 private:
  base::Json schema_;
  std::string api_version_, kind_;
};

}  // namespace kube
