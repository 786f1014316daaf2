// The operator's settings that plans depend on. Pure.
#pragma once

#include <string>

#include "operator/pods/foreign_pods.h"

namespace controller {

struct Settings {
  std::string cluster_domain = "cluster.local";
  std::string sidecar_image = "agent-memory/sidecar:dev";
  std::string agent_image;  // of Agents with neither image nor template; empty: they get no pod
  std::string server_image = "agent-memory/server:dev";  // of MemoryServers that set none
  std::string otlp_endpoint;  // for traces of sidecars and servers; empty: no traces
  ForeignPods foreign_pods;
  std::string memory_url;  // not empty: overrides the resolution of serverRef (render only)
};

}  // namespace controller
