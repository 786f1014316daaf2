// Carries out a plan against an API server, in order, and collects every error. Decides nothing.
#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "lib/kube/client/kube_client.h"
#include "operator/plan/plan.h"

namespace controller {

// An object that the server would not take as it is: trying again does not help.
struct Refusal {
  std::string intent;  // hash of the object
  std::string words;   // the server's
};

struct Outcome {
  std::vector<Refusal> refusals;
  // Fields that another controller applies too: its turn to change something.
  std::vector<std::string> conflicts;
  std::vector<base::Error> errors;             // worth another try
  std::map<std::string, std::string> written;  // kind → newest resourceVersion that we wrote
  void Add(Outcome earlier);                   // of the same object, in the same reconcile
  base::Status Summary() const;                // ok, or the first error with the others counted
};

// Ok until `stop`: between two calls, since who is asked to end does not begin another.
base::Status CheckNotStopped(const std::stop_token& stop);

// `object`: the Agent, AgentRun or MemoryServer whose plan it is. After `stop` no further call is
// begun; what is left out is an error of the outcome.
Outcome Execute(kube::KubeClient& client, const base::Json& object, const Plan& plan,
                const std::stop_token& stop);

// Writes `status` of `object` (apiVersion, kind, metadata) and nothing else; the stored object.
base::Result<base::Json> WriteStatus(kube::KubeClient& client, const kube::Resource& resource,
                                     const base::Json& object, const base::Json& status);

}  // namespace controller
