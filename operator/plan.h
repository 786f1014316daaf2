// The decision: from what there is to what must be done. The only input is what it is given, the
// only output is the plan; execute.h carries it out. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "operator/desired.h"
#include "operator/foreign_pods.h"
#include "operator/observe.h"
#include "operator/status.h"

namespace controller {

struct Settings {
  std::string cluster_domain = "cluster.local";
  std::string sidecar_image = "agent-memory/sidecar:dev";
  std::string agent_image;  // of Agents with neither image nor template; empty: they get no pod
  std::string server_image = "agent-memory/server:dev";  // of MemoryServers that name none
  std::string otlp_endpoint;  // where sidecars send traces; empty: nowhere
  ForeignPods foreign_pods;
  std::string memory_url;  // not empty: instead of what serverRef leads to (render only)
};

// A merge patch, or a JSON patch when `body` is a list; fenced by a uid in it.
struct Patch {
  kube::Resource resource;
  kube::ObjectKey key;
  base::Json body;
  std::string subresource = {};
  std::string refusal = {};  // not empty: under this name a refusal is remembered, not an error
};
struct Removal {
  kube::Resource resource;
  kube::ObjectKey key;
  std::string uid;  // only this incarnation
};

// Carried out in this order. Patches only when every apply went well.
struct Plan {
  std::vector<Child> apply;  // server-side; objects that exist carry their uid as a fence
  std::vector<Patch> patch;
  std::vector<Removal> remove;
  std::optional<base::Json> status;  // absent: what is stored is right
  std::vector<Notice> events;
  int64_t requeue_after_ms = 0;  // 0: nothing to wait for but changes
  std::string policy_file;       // policy.json, for render; empty without memory
  bool wants_place = false;      // a pod would be updated if Observed::has_place
  bool rolled_out = false;       // every pod is up to date and ready
  std::vector<ChildKey>
      unseen;  // children that are wanted and were not observed: look before applying

  bool IsEmpty() const;
};

Plan MakePlan(const Observed& observed, const Settings& settings, int64_t now_ms);

// "class" of the operator that the Agent asks for is `wanted` (empty: asks for none).
bool IsOfClass(const base::Json& agent, const std::string& wanted);

}  // namespace controller
