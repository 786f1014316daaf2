// The status of an Agent: conditions that say what holds and, when not, name the thing and what to
// do. The one place where findings become conditions. Pure.
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

// What planning found out; status says it.
struct Findings {
  Resolution resolution;
  std::vector<std::string> rule_faults, unknown_tools;
  ClaimState claim = ClaimState::kAbsent;
  std::string claim_owner;               // UID noted on a leftover claim; may be empty
  std::vector<std::string> taken_names;  // "Service x": exists and is not ours
  std::string template_fault;            // ours or the API server's
  bool image_missing = false;            // and that is the fault
  std::string refused;                   // what else the API server refused, with its words
  bool storage_differs = false;          // spec.storage is not what the claim was made from
  Shares shares;
  ForeignPods foreign_pods;
  base::Json foreign_parts;                  // what they get; null: nothing
  std::optional<kube::Condition> node_skew;  // absent: no node of its pods has a fault
  std::optional<Rollout> rollout;            // of a daemon whose workload is wanted
  bool settled = false;                      // its workload is as wanted, its controller knows
  size_t own_pods = 0;                       // of that workload, those on their way out, too
  std::string policy_digest, sidecar_image, template_image;
};

// The whole status. Conditions that did not change keep their transition time.
base::Json StatusOf(const api::Agent& agent, const ObservedAgent& observed,
                    const Findings& findings, int64_t now_ms);

}  // namespace controller
