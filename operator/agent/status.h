// The status of an Agent. The only place where findings become conditions; a condition that is not
// met names the object and the remedy. Pure.
#pragma once

#include <string>
#include <vector>

#include "lib/api/agent.h"
#include "lib/kube/object/conditions.h"
#include "operator/agent/observed_agent.h"
#include "operator/agent/resolve.h"
#include "operator/agent/shares.h"
#include "operator/plan/conditions.h"
#include "operator/pods/foreign_pods.h"
#include "operator/pods/node_skew.h"
#include "operator/pods/rollout.h"
#include "operator/pods/state.h"
#include "operator/pods/volume.h"

namespace controller {

// The results of planning, for the status.
struct Findings {
  Resolution resolution;
  std::vector<std::string> rule_faults, unknown_tools;
  ClaimFinding claim;
  std::vector<std::string> taken_names;  // "Service x": exists with another owner
  std::string template_fault;            // of TemplateFault, or from the API server
  bool image_missing = false;            // the cause of template_fault
  std::string refused;                   // another refused object, with the API server's message
  bool storage_differs = false;          // spec.storage differs from the claim template
  Shares shares;
  ForeignPods foreign_pods;
  base::Json foreign_parts;                  // their injected parts; null: none
  std::optional<kube::Condition> node_skew;  // absent: no faulty nodes for its pods
  std::optional<Rollout> rollout;            // of a daemon with a desired workload
  bool settled = false;  // the workload's controller has seen the desired template
  size_t own_pods = 0;   // pods of the workload, also those being deleted
  std::string policy_digest, sidecar_image, template_image;
};

// The whole status. Conditions that did not change keep their transition time.
base::Json StatusOf(const api::Agent& agent, const ObservedAgent& observed,
                    const Findings& findings, int64_t now_ms);

}  // namespace controller
