// Names of the objects that an Agent owns, of labels and annotations, of paths and ports in its
// pods. The one place for them; suffixes have at most 11 characters (an Agent's name has at most
// 52). Pure.
#pragma once

#include <string>

namespace controller {

inline constexpr const char* kFieldManager = "agentops-operator";
inline constexpr const char* kReportingController = "agents.agentops.io/operator";

// Labels.
inline constexpr const char* kAgentLabel =
    "agents.agentops.io/agent";  // on children and their pods
inline constexpr const char* kManagedByLabel = "app.kubernetes.io/managed-by";
inline constexpr const char* kServiceNameLabel = "kubernetes.io/service-name";  // on EndpointSlices
inline constexpr const char* kManagedBy = "agent-memory-operator";

// Annotations.
inline constexpr const char* kIntentAnnotation =
    "agents.agentops.io/intent";  // hash of what was applied
inline constexpr const char* kClassAnnotation = "agents.agentops.io/class";
inline constexpr const char* kAllowedNamespaces = "agents.agentops.io/allowed-namespaces";
inline constexpr const char* kRetainedFrom =
    "agents.agentops.io/retained-from";  // UID of the claim's Agent
inline constexpr const char* kPolicyTouch =
    "agents.agentops.io/policy";  // makes the kubelet sync at once
inline constexpr const char* kInjected = "agents.agentops.io/memory-injected";
inline constexpr const char* kDefaultContainer = "kubectl.kubernetes.io/default-container";

// Objects of an Agent.
inline std::string WorkloadName(const std::string& agent) { return agent; }
inline std::string PortsServiceName(const std::string& agent) { return agent; }
inline std::string ServiceAccountName(const std::string& agent) { return agent + "-agent"; }
inline std::string SpecConfigMapName(const std::string& agent) { return agent + "-agent"; }
inline std::string PolicyConfigMapName(const std::string& agent) { return agent + "-policy"; }
inline std::string ClaimName(const std::string& agent) { return "data-" + agent + "-0"; }

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
inline constexpr const char* kAgentDataDirectory = "/data";
inline constexpr const char* kMemoryUrlVariable = "AGENT_MEMORY_URL";
inline constexpr const char* kSidecarUrl = "http://127.0.0.1:7437";
inline constexpr int kMemoryPort = 7437, kSidecarAdminPort = 7438;
inline constexpr int kDefaultUser = 65532;

}  // namespace controller
