// Reads the metadata of Kubernetes objects and builds their API paths.
#include "lib/kube/object/object.h"

#include "lib/base/process/clock.h"
#include "lib/http/message/message.h"

namespace kube {

namespace {

bool IsNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::string Resource::ApiVersion() const { return group.empty() ? version : group + "/" + version; }

#define KUBE_RESOURCE(function, ...)        \
  const Resource& function() {              \
    static const Resource kind __VA_ARGS__; \
    return kind;                            \
  }
KUBE_RESOURCE(ConfigMaps, {"", "v1", "ConfigMap", "configmaps"})
KUBE_RESOURCE(Services, {"", "v1", "Service", "services"})
KUBE_RESOURCE(ServiceAccounts, {"", "v1", "ServiceAccount", "serviceaccounts"})
KUBE_RESOURCE(PersistentVolumeClaims, {"", "v1", "PersistentVolumeClaim", "persistentvolumeclaims"})
KUBE_RESOURCE(Pods, {"", "v1", "Pod", "pods"})
KUBE_RESOURCE(Namespaces, {"", "v1", "Namespace", "namespaces", false})
KUBE_RESOURCE(Nodes, {"", "v1", "Node", "nodes", false})
KUBE_RESOURCE(StatefulSets, {"apps", "v1", "StatefulSet", "statefulsets"})
KUBE_RESOURCE(Jobs, {"batch", "v1", "Job", "jobs"})
KUBE_RESOURCE(NetworkPolicies, {"networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies"})
KUBE_RESOURCE(PodDisruptionBudgets, {"policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets"})
KUBE_RESOURCE(Roles, {"rbac.authorization.k8s.io", "v1", "Role", "roles"})
KUBE_RESOURCE(RoleBindings, {"rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings"})
KUBE_RESOURCE(EndpointSlices, {"discovery.k8s.io", "v1", "EndpointSlice", "endpointslices"})
KUBE_RESOURCE(Events, {"events.k8s.io", "v1", "Event", "events"})
KUBE_RESOURCE(Leases, {"coordination.k8s.io", "v1", "Lease", "leases"})
KUBE_RESOURCE(CustomResourceDefinitions, {"apiextensions.k8s.io", "v1", "CustomResourceDefinition",
                                          "customresourcedefinitions", false})
#undef KUBE_RESOURCE

std::string ObjectKey::Text() const { return name_space.empty() ? name : name_space + "/" + name; }

std::string CollectionPath(const Resource& resource, std::string_view name_space) {
  std::string path = resource.group.empty() ? "/api/" : "/apis/" + resource.group + "/";
  path += resource.version;
  if (resource.namespaced && !name_space.empty()) {
    path += "/namespaces/" + http::PercentEncode(name_space);
  }
  return path + "/" + resource.plural;
}

std::string ObjectPath(const Resource& resource, const ObjectKey& key,
                       std::string_view subresource) {
  std::string path = CollectionPath(resource, key.name_space) + "/" + http::PercentEncode(key.name);
  if (!subresource.empty()) path.append("/").append(subresource);
  return path;
}

ObjectKey KeyOf(const Json& object) {
  return {base::StringAt(object, {"metadata", "namespace"}),
          base::StringAt(object, {"metadata", "name"})};
}

std::string UidOf(const Json& object) { return base::StringAt(object, {"metadata", "uid"}); }

std::string ResourceVersionOf(const Json& object) {
  return base::StringAt(object, {"metadata", "resourceVersion"});
}

int64_t GenerationOf(const Json& object) {
  const Json* generation = base::At(object, {"metadata", "generation"});
  return generation && generation->is_number_integer() ? generation->get<int64_t>() : 0;
}

std::string LabelOf(const Json& object, const std::string& name) {
  return base::StringAt(object, {"metadata", "labels", name.c_str()});
}

std::string AnnotationOf(const Json& object, const std::string& name) {
  return base::StringAt(object, {"metadata", "annotations", name.c_str()});
}

bool IsBeingDeleted(const Json& object) {
  return !base::StringAt(object, {"metadata", "deletionTimestamp"}).empty();
}

Json ControllerReference(const Json& owner) {
  return {{"apiVersion", base::StringAt(owner, {"apiVersion"})},
          {"kind", base::StringAt(owner, {"kind"})},
          {"name", KeyOf(owner).name},
          {"uid", UidOf(owner)},
          {"controller", true},
          {"blockOwnerDeletion", true}};
}

Owner ControllerOf(const Json& object) {
  const Json* references = base::At(object, {"metadata", "ownerReferences"});
  if (!references || !references->is_array()) return {};
  for (const Json& reference : *references) {
    const Json* controller = base::At(reference, {"controller"});
    if (!controller || *controller != true) continue;
    return {base::StringAt(reference, {"kind"}), base::StringAt(reference, {"name"}),
            base::StringAt(reference, {"uid"})};
  }
  return {};
}

std::string MicroTime(int64_t unix_ms) {
  std::string seconds = base::FormatTime(unix_ms - unix_ms % 1000);
  std::string fraction = std::to_string(1'000'000 + unix_ms % 1000 * 1000).substr(1);
  return seconds.substr(0, seconds.size() - 1) + "." + fraction + "Z";
}

bool IsNewerVersion(std::string_view left, std::string_view right) {
  if (!IsNumber(left) || !IsNumber(right)) return false;
  if (left.size() != right.size()) return left.size() > right.size();
  return left > right;
}

void DropManagedFields(Json& object) {
  auto metadata = object.find("metadata");
  if (metadata == object.end() || !metadata->is_object()) return;
  metadata->erase("managedFields");
  auto annotations = metadata->find("annotations");
  if (annotations == metadata->end() || !annotations->is_object()) return;
  annotations->erase("kubectl.kubernetes.io/last-applied-configuration");
}

}  // namespace kube
