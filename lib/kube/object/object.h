// Kubernetes objects as JSON: API paths, metadata, owner references and versions. Pure.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"

namespace kube {

using base::Json;

// A kind of object and its place in the API: {"apps", "v1", "StatefulSet", "statefulsets"}.
struct Resource {
  std::string group;  // empty: the core group
  std::string version;
  std::string kind;
  std::string plural;
  bool namespaced = true;

  std::string ApiVersion() const;  // "v1", "apps/v1": the apiVersion field
  bool operator==(const Resource&) const = default;
};

// The kinds that most operators touch.
const Resource& ConfigMaps();
const Resource& Services();
const Resource& ServiceAccounts();
const Resource& PersistentVolumeClaims();
const Resource& Pods();
const Resource& Namespaces();
const Resource& Nodes();
const Resource& StatefulSets();
const Resource& Jobs();
const Resource& NetworkPolicies();
const Resource& PodDisruptionBudgets();
const Resource& Roles();
const Resource& RoleBindings();
const Resource& EndpointSlices();
const Resource& Events();  // events.k8s.io/v1
const Resource& Leases();  // coordination.k8s.io/v1
const Resource& CustomResourceDefinitions();

// Identifies an object of a kind. Ordered by namespace, then name.
struct ObjectKey {
  std::string name_space;  // empty: cluster-scoped
  std::string name;

  std::string Text() const;  // "namespace/name" or "name"
  auto operator<=>(const ObjectKey&) const = default;
};

// "/apis/apps/v1/namespaces/a/statefulsets"; all namespaces when `name_space` is empty.
// Percent-encoded.
std::string CollectionPath(const Resource& resource, std::string_view name_space);
// …/<name>[/<subresource>]
std::string ObjectPath(const Resource& resource, const ObjectKey& key,
                       std::string_view subresource = {});

// Fields of metadata; empty text or 0 if absent or of another type. No errors.
ObjectKey KeyOf(const Json& object);
std::string UidOf(const Json& object);
std::string ResourceVersionOf(const Json& object);
int64_t GenerationOf(const Json& object);
std::string LabelOf(const Json& object, const std::string& name);
std::string AnnotationOf(const Json& object, const std::string& name);
bool IsBeingDeleted(const Json& object);

// {apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true} for `owner`.
Json ControllerReference(const Json& owner);
struct Owner {
  std::string kind, name, uid;
};
// The reference with controller: true; all empty when there is none.
Owner ControllerOf(const Json& object);

// metav1.MicroTime, which has exactly six digits: "2026-04-12T10:00:00.123000Z".
std::string MicroTime(int64_t unix_ms);

// True when `left` is a newer resourceVersion than `right` (both decimal numbers, KEP-5504); false
// when either is not a number or they are equal.
bool IsNewerVersion(std::string_view left, std::string_view right);

// Removes metadata that no program reads: managedFields, and kubectl's last-applied annotation.
void DropManagedFields(Json& object);

}  // namespace kube
