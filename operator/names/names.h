// Names of the objects that an Agent owns, of labels and annotations, of paths and ports in its
// pods. The one place for them; suffixes have at most 11 characters (an Agent's name has at most
// 52). Pure.
#pragma once

#include <string>

#include "lib/api/shared_memory.h"

namespace controller {

inline constexpr const char* kFieldManager = "agentops-operator";
inline constexpr const char* kReportingController = "agents.agentops.io/operator";

// Labels.
inline constexpr const char* kAgentLabel =
    "agents.agentops.io/agent";                                     // on children and their pods
inline constexpr const char* kRunLabel = "agents.agentops.io/run";  // on the objects of a run
inline constexpr const char* kServerLabel =
    "agents.agentops.io/memory-server";  // on the objects of a MemoryServer
inline constexpr const char* kMemoryLabel =
    "agents.agentops.io/memory";  // on foreign pods: the Agent whose memory they use
inline constexpr const char* kManagedByLabel = "app.kubernetes.io/managed-by";
inline constexpr const char* kServiceNameLabel = "kubernetes.io/service-name";  // on EndpointSlices
inline constexpr const char* kManagedBy = "agent-memory-operator";

// Annotations.
inline constexpr const char* kIntentAnnotation =
    "agents.agentops.io/intent";  // intent hash of the applied object
inline constexpr const char* kClassAnnotation = "agents.agentops.io/class";
inline constexpr const char* kAllowedNamespaces = "agents.agentops.io/allowed-namespaces";
inline constexpr const char* kRetainedFrom =
    "agents.agentops.io/retained-from";  // on claims: UID of their owner
inline constexpr const char* kPolicyTouch =
    "agents.agentops.io/policy";  // on pods: a change makes the kubelet sync volumes at once
inline constexpr const char* kTemplateHash =
    "agents.agentops.io/template";  // on pods: hash of their template, see pods/rollout.h
inline constexpr const char* kSidecarHash =
    "agents.agentops.io/sidecar";  // on pods: hashes of the sidecar's image and resources
inline constexpr const char* kSidecarWas =
    "agents.agentops.io/sidecar-was";  // on pods: ID of the container that a new image replaces
inline constexpr const char* kInjected = "agents.agentops.io/memory-injected";
inline constexpr const char* kClamped =
    "agents.agentops.io/memory-clamped";  // on foreign pods: overridden settings of their sidecar
inline constexpr const char* kAgentGeneration =
    "agents.agentops.io/agent-generation";  // on Jobs: generation of the Agent
inline constexpr const char* kDefaultContainer = "kubectl.kubernetes.io/default-container";

// Objects of an Agent.
inline std::string WorkloadName(const std::string& agent) { return agent; }
inline std::string PortsServiceName(const std::string& agent) { return agent; }
inline std::string ServiceAccountName(const std::string& agent) { return api::AgentAccount(agent); }
inline std::string SpecConfigMapName(const std::string& agent) { return agent + "-agent"; }
inline std::string PolicyConfigMapName(const std::string& agent) { return agent + "-policy"; }
// Role and RoleBinding of the accounts that read, or write, the Agent's shared memory.
inline std::string ReadersName(const std::string& agent) { return agent + "-readers"; }
inline std::string WritersName(const std::string& agent) { return agent + "-writers"; }
// Cluster-scoped. A namespace has no dot, so that no two Agents share a name.
inline std::string InjectionBindingName(const std::string& name_space, const std::string& agent) {
  return name_space + "." + agent;
}
inline std::string ClaimName(const std::string& agent) { return "data-" + agent + "-0"; }

// Objects of an AgentRun. No claim of an Agent begins with run-data-.
inline std::string JobName(const std::string& run) { return run; }
inline std::string RunClaimName(const std::string& run) { return "run-data-" + run; }
inline std::string PromptConfigMapName(const std::string& run) { return run + "-prompt"; }

// Objects of a MemoryServer, all with its name. Agents refer to the Service by this name, and the
// chart names its objects the same way, so that either adopts the other's volume. Claim: ClaimName.
inline std::string ServerObjectName(const std::string& server) { return server; }
inline constexpr const char* kServerContainer = "server";
inline constexpr const char* kStoreVolume = "store";  // the Secrets of its database
inline constexpr const char* kStoreDirectory = "/etc/agent-memory/store";
// libpq's own file of an authority, below HOME.
inline constexpr const char* kAuthorityFile = ".postgresql/root.crt";

// In the pod.
inline constexpr const char* kAgentContainer = "agent";
inline constexpr const char* kSidecarContainer = "memory";
inline constexpr const char* kClaimVolume = "data";
inline constexpr const char* kPolicyVolume = "agent-memory-policy";
inline constexpr const char* kTokenVolume = "agent-memory-token";
inline constexpr const char* kSpecVolume = "agent-spec";
inline constexpr const char* kPolicyDirectory = "/etc/agent-memory/policy";
inline constexpr const char* kPolicyFile = "policy.json";
inline constexpr const char* kTokenDirectory = "/var/run/secrets/agent-memory";
inline constexpr const char* kStateDirectory = "/var/lib/agent-memory";
inline constexpr const char* kSpecDirectory = "/etc/agent";
inline constexpr const char* kSpecFile = "agent.json";
inline constexpr const char* kPromptVolume = "agent-prompt";
inline constexpr const char* kPromptDirectory = "/etc/agent-run";
inline constexpr const char* kPromptFile = "prompt";
inline constexpr const char* kPromptVariable = "AGENT_PROMPT";
inline constexpr const char* kPromptFileVariable = "AGENT_PROMPT_FILE";
inline constexpr const char* kAgentDataDirectory = "/data";
inline constexpr const char* kMemoryUrlVariable = "AGENT_MEMORY_URL";
inline constexpr const char* kSidecarUrl = "http://127.0.0.1:7437";
// Of every Service: both address families where the cluster has them, else the one that it has.
inline constexpr const char* kServiceFamilies = "PreferDualStack";
inline constexpr int kMemoryPort = 7437, kSidecarAdminPort = 7438, kServerAdminPort = 7438;
inline constexpr int kDefaultUser = 65532;

}  // namespace controller
