// The settings of agent-memory-operator: flags, defaults and their validation. Opens nothing.
#pragma once

#include <string>

#include "lib/base/process/config.h"
#include "lib/kube/controller/lease.h"

namespace controller {

const base::Program& OperatorProgram();
std::string PodName();  // of this process's pod; empty: none
// The Lease of leader election; without a name: no election. kInvalid: it is not namespace/name.
base::Result<kube::LeaseSettings> LeaseOf(const base::Settings& settings);

}  // namespace controller
