// A table of known messages and their remedies; the first match wins. The words are those of
// Kubernetes, which has no codes for them.
#include "operator/pods/remedy.h"

namespace controller {
namespace {

// The name after `before`, without quotes: "x" in `exceeded quota: x, requested: …`.
std::string NameAfter(std::string_view words, std::string_view before) {
  const size_t at = words.find(before);
  if (at == std::string_view::npos) return "";
  words.remove_prefix(at + before.size());
  const bool quoted = !words.empty() && (words.front() == '"' || words.front() == '\'');
  if (quoted) words.remove_prefix(1);
  return std::string(words.substr(0, words.find_first_of(quoted ? "\"'" : ",: \n")));
}

// Words of messages of the API server, controllers, scheduler and kubelet; "%" in a remedy is the
// name after the words.
struct Known {
  std::string_view words, remedy;
};
constexpr Known kKnown[] = {
    {"failed quota: ",
     "set what ResourceQuota % asks for in spec.resources, and for container memory in "
     "spec.sidecar.resources; or give the namespace a LimitRange with these defaults"},
    {"exceeded quota: ",
     "raise ResourceQuota %, delete what uses it up, or set less in spec.resources, "
     "spec.sidecar.resources or spec.storage.size"},
    {"insufficient quota to match these scopes",
     "give the namespace a ResourceQuota with this scope, or set another "
     "spec.template.spec.priorityClassName"},
    {"violates PodSecurity ",
     "set the securityContext that it names in spec.template, or allow the pod by the namespace's "
     "label pod-security.kubernetes.io/enforce"},
    {" usage per ",
     "set spec.resources, spec.sidecar.resources or spec.storage.size within the namespace's "
     "LimitRange, or change the LimitRange"},
    {" limit to request ratio per ",
     "set requests and limits in spec.resources and spec.sidecar.resources within the ratio of the "
     "namespace's LimitRange, or change the LimitRange"},
    {"must be less than or equal to ",
     "set requests that are not above the limits, also those that a LimitRange of the namespace "
     "sets by default"},
    {"failed calling webhook ",
     "make webhook % answer, or let its configuration leave out this namespace"},
    {"admission webhook ",
     "change what webhook % objects to, or let its configuration leave out this namespace"},
    {"AdmissionPolicy ",
     "change what policy % objects to, or let its binding leave out this namespace"},
    {"no PriorityClass with name ",
     "create PriorityClass %, or set another spec.template.spec.priorityClassName"},
    {"RuntimeClass ", "create RuntimeClass %, or set another spec.template.spec.runtimeClassName"},
    {"serviceaccount ", "create ServiceAccount %"},
    {"it is being terminated", "the namespace is being deleted: use another one"},
    {"storageclass.storage.k8s.io ",
     "create StorageClass %, or delete the claim and set another spec.storage.storageClassName"},
    {"no persistent volumes available for this claim and no storage class is set",
     "set spec.storage.storageClassName, or give the cluster a default StorageClass; then delete "
     "the "
     "claim"},
    {"unbound immediate PersistentVolumeClaims", "kubectl describe pvc says why it is not bound"},
    {"persistentvolumeclaim ", "create claim %, or correct its name in spec.template"},
    {"references non-existent secret key", "add the key to the Secret, or correct spec.secrets"},
    {"couldn't find key ", "add key % there, or correct its name in the spec"},
    {"secret ", "create Secret %, or correct its name in the spec"},
    {"configmap ", "create ConfigMap %, or correct its name in the spec"},
    {"Insufficient ", "set less in the requests of spec.resources, or add nodes with more room"},
    {"Too many pods", "add nodes, or delete pods"},
    {"untolerated taint", "set spec.template.spec.tolerations, or remove the taint from a node"},
    {"didn't match Pod's node affinity/selector",
     "correct nodeSelector and affinity in spec.template.spec, or label a node"},
    {"volume node affinity conflict",
     "the volume is on another node: make that node schedulable again"},
};

std::string Fill(std::string_view remedy, const std::string& name) {
  const size_t at = remedy.find('%');
  if (at == std::string_view::npos) return std::string(remedy);
  return std::string(remedy.substr(0, at)) + name + std::string(remedy.substr(at + 1));
}

}  // namespace

std::string RemedyFor(std::string_view words) {
  for (const Known& known : kKnown)
    if (words.find(known.words) != std::string_view::npos)
      return "; to mend it: " + Fill(known.remedy, NameAfter(words, known.words));
  // Any other plugin of the API server, in its own words.
  if (words.find(" is forbidden: ") != std::string_view::npos)
    return "; to mend it: change in the spec what admission objects to, or ask who runs the "
           "cluster";
  return "";
}

}  // namespace controller
