// The settings of agent-memory-operator: flags, defaults and what they must fulfil together. Opens
// nothing.
#pragma once

#include <string>

#include "lib/base/process/config.h"
#include "lib/kube/controller/lease.h"

namespace controller {

const base::Program& OperatorProgram();
std::string PodName();  // of the pod that we run in; empty: in none
// Without a name: replicas agree on nothing. kInvalid: it is not namespace/name.
base::Result<kube::LeaseSettings> LeaseOf(const base::Settings& settings);

}  // namespace controller
