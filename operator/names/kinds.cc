// Definitions of the resources: static objects that live as long as the process.
#include "operator/names/kinds.h"

#include "lib/api/agent.h"

namespace controller {
namespace {

constexpr const char* kAdmission = "admissionregistration.k8s.io";

kube::Resource Ours(const char* kind, const char* plural) {
  return {api::kGroup, api::kVersion, kind, plural, true};
}

}  // namespace

const kube::Resource& Agents() {
  static const kube::Resource resource = Ours("Agent", "agents");
  return resource;
}
const kube::Resource& AgentTools() {
  static const kube::Resource resource = Ours("AgentTool", "agenttools");
  return resource;
}
const kube::Resource& AgentRuns() {
  static const kube::Resource resource = Ours("AgentRun", "agentruns");
  return resource;
}
const kube::Resource& MemoryServers() {
  static const kube::Resource resource = Ours("MemoryServer", "memoryservers");
  return resource;
}
const kube::Resource& InjectionPolicies() {
  static const kube::Resource resource = {kAdmission, "v1", "MutatingAdmissionPolicy",
                                          "mutatingadmissionpolicies", false};
  return resource;
}
const kube::Resource& InjectionBindings() {
  static const kube::Resource resource = {kAdmission, "v1", "MutatingAdmissionPolicyBinding",
                                          "mutatingadmissionpolicybindings", false};
  return resource;
}
const kube::Resource& Deployments() {
  static const kube::Resource resource = {"apps", "v1", "Deployment", "deployments"};
  return resource;
}
const kube::Resource& ReplicaSets() {
  static const kube::Resource resource = {"apps", "v1", "ReplicaSet", "replicasets"};
  return resource;
}
const kube::Resource& Secrets() {
  static const kube::Resource resource = {"", "v1", "Secret", "secrets"};
  return resource;
}
const kube::Resource& MutatingWebhooks() {
  static const kube::Resource resource = {kAdmission, "v1", "MutatingWebhookConfiguration",
                                          "mutatingwebhookconfigurations", false};
  return resource;
}
const kube::Resource& ValidatingWebhooks() {
  static const kube::Resource resource = {kAdmission, "v1", "ValidatingWebhookConfiguration",
                                          "validatingwebhookconfigurations", false};
  return resource;
}
const kube::Resource& PodMonitors() {
  static const kube::Resource resource = {"monitoring.coreos.com", "v1", "PodMonitor",
                                          "podmonitors"};
  return resource;
}

}  // namespace controller
