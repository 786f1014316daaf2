// Executes a plan against an API server, in order, and collects every error. Decides nothing.
#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "lib/kube/client/kube_client.h"
#include "operator/plan/plan.h"

namespace controller {

// An object that the API server rejects: a retry does not help.
struct Refusal {
  std::string intent;  // hash of the object, or Patch::refusal
  std::string words;   // the API server's message
};

struct Outcome {
  std::vector<Refusal> refusals;
  // Messages about fields that another controller applies too, and that only it can release.
  std::vector<std::string> conflicts;
  std::vector<base::Error> errors;             // to be retried
  std::map<std::string, std::string> written;  // kind → newest resourceVersion that we wrote
  void Add(Outcome earlier);                   // errors and writes of the same reconcile
  base::Status Summary() const;                // ok, or the first error with the others counted
};

// kUnavailable after `stop`. To be called before each API call, so that a stopping process begins
// none.
base::Status CheckNotStopped(const std::stop_token& stop);

// `object`: the Agent, AgentRun or MemoryServer of the plan. Begins no further call after `stop`;
// omitted steps are errors of the outcome.
Outcome Execute(kube::KubeClient& client, const base::Json& object, const Plan& plan,
                const std::stop_token& stop);

// Applies only `status` of `object` (apiVersion, kind, metadata). Returns the stored object.
base::Result<base::Json> WriteStatus(kube::KubeClient& client, const kube::Resource& resource,
                                     const base::Json& object, const base::Json& status);

}  // namespace controller
