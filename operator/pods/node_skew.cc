// The table of faulty kubelets, and a subset of the scheduler's rules.
#include "operator/pods/node_skew.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "lib/base/text/text.h"
#include "lib/kube/object/object.h"

namespace controller {
namespace {

using base::Json;

using Version = std::array<int, 3>;
struct KubeletRange {
  Version from, before;
  KubeletFault fault;
};
constexpr KubeletRange kFaulty[] = {
    {{0, 0, 0}, {1, 29, 0}, KubeletFault::kNoNativeSidecars},
    {{1, 35, 0}, {1, 35, 4}, KubeletFault::kForgetsRestarts},
};
constexpr size_t kNodesNamed = 3;

// Parses "v1.35.2-gke.1" as 1.35.2; false: no such prefix.
bool ReadVersion(const std::string& text, Version& version) {
  if (!text.starts_with("v")) return false;
  const char *at = text.data() + 1, *end = text.data() + text.size();
  for (size_t i = 0; i < version.size(); ++i) {
    if (i > 0 && (at == end || *at++ != '.')) return false;
    const auto [next, error] = std::from_chars(at, end, version[i]);
    if (error != std::errc() || version[i] < 0) return false;
    at = next;
  }
  return true;
}

const Json& ListIn(const Json& object, const char* list) {
  static const Json none = Json::array();
  const Json* items = base::At(object, {"spec", list});
  return items && items->is_array() ? *items : none;
}

bool Tolerates(const Json& pod_spec, const Json& taint) {
  const Json* tolerations = base::At(pod_spec, {"tolerations"});
  if (!tolerations || !tolerations->is_array()) return false;
  return std::any_of(tolerations->begin(), tolerations->end(), [&](const Json& toleration) {
    const std::string key = base::StringAt(toleration, {"key"}),
                      effect = base::StringAt(toleration, {"effect"});
    const bool exists = base::StringAt(toleration, {"operator"}) == "Exists";
    return (effect.empty() || effect == base::StringAt(taint, {"effect"})) &&
           (key.empty() ? exists
                        : key == base::StringAt(taint, {"key"}) &&
                              (exists || base::StringAt(toleration, {"value"}) ==
                                             base::StringAt(taint, {"value"})));
  });
}

// Taints of node conditions (node.kubernetes.io/) are temporary and do not count.
bool KeepsOff(const Json& taint) {
  const std::string effect = base::StringAt(taint, {"effect"});
  return (effect == "NoSchedule" || effect == "NoExecute") &&
         !base::StringAt(taint, {"key"}).starts_with("node.kubernetes.io/");
}

bool MayStandOn(const Json& node, const Json* pod_spec) {
  const Json* cordoned = base::At(node, {"spec", "unschedulable"});
  if ((cordoned && *cordoned == true) || kube::LabelOf(node, "kubernetes.io/os") == "windows")
    return false;
  if (!pod_spec) return true;
  const Json* selector = base::At(*pod_spec, {"nodeSelector"});
  if (selector && selector->is_object())
    for (const auto& [label, value] : selector->items()) {
      const Json* has = base::At(node, {"metadata", "labels", label.c_str()});
      if (!has || *has != value) return false;
    }
  const Json& taints = ListIn(node, "taints");
  return std::all_of(taints.begin(), taints.end(), [&](const Json& taint) {
    return !KeepsOff(taint) || Tolerates(*pod_spec, taint);
  });
}

std::string Named(std::vector<std::string> nodes) {
  std::sort(nodes.begin(), nodes.end());
  const bool more = nodes.size() > kNodesNamed;
  if (more) nodes.resize(kNodesNamed);
  return base::Join(nodes, ", ") + (more ? ", …" : "");
}

KubeletFault FaultOfNode(const Json& node) {
  return FaultOf(base::StringAt(node, {"status", "nodeInfo", "kubeletVersion"}));
}

}  // namespace

KubeletFault FaultOf(const std::string& kubelet_version) {
  Version version;
  if (!ReadVersion(kubelet_version, version)) return KubeletFault::kNone;
  for (const KubeletRange& range : kFaulty)
    if (range.from <= version && version < range.before) return range.fault;
  return KubeletFault::kNone;
}

void PruneNode(Json& node) {
  const std::string version = base::StringAt(node, {"status", "nodeInfo", "kubeletVersion"});
  const Json& old = node["metadata"];
  Json kept = {{"apiVersion", "v1"},
               {"kind", "Node"},
               {"metadata",
                {{"name", base::StringAt(old, {"name"})},
                 {"resourceVersion", base::StringAt(old, {"resourceVersion"})}}}};
  if (FaultOf(version) != KubeletFault::kNone) {
    if (const Json* labels = base::At(old, {"labels"})) kept["metadata"]["labels"] = *labels;
    for (const char* field : {"unschedulable", "taints"})
      if (const Json* value = base::At(node, {"spec", field})) kept["spec"][field] = *value;
    // timeAdded is not read, and a change of it must not count as a change of the node.
    if (base::At(kept, {"spec", "taints"}) && kept["spec"]["taints"].is_array())
      for (Json& taint : kept["spec"]["taints"])
        if (taint.is_object()) taint.erase("timeAdded");
    kept["status"]["nodeInfo"]["kubeletVersion"] = version;
  }
  node = std::move(kept);
}

NodeSkew SkewOf(const std::vector<Json>& nodes, const Json* pod_spec) {
  NodeSkew skew;
  for (const Json& node : nodes) {
    const KubeletFault fault = FaultOfNode(node);
    if (fault == KubeletFault::kNone || !MayStandOn(node, pod_spec)) continue;
    (fault == KubeletFault::kForgetsRestarts ? skew.forgetting : skew.without_sidecars)
        .push_back(kube::KeyOf(node).name);
  }
  return skew;
}

kube::Condition NodeSkewCondition(const NodeSkew& skew) {
  std::string text;
  if (!skew.without_sidecars.empty())
    text =
        "kubelets older than 1.29 know no native sidecars, and the agent of a pod there never "
        "starts: " +
        Named(skew.without_sidecars) +
        "; upgrade them, or keep pods away by spec.template.spec.nodeSelector";
  if (!skew.forgetting.empty())
    text += (text.empty() ? "" : "; ") +
            std::string(
                "kubelets 1.35.0 to 1.35.3, once restarted, start no crashed container of a pod "
                "with a startupProbe again: ") +
            Named(skew.forgetting) +
            "; new pods with the operator's own sidecar image have a postStart hook instead, and "
            "existing pods keep the probe until they are recreated; upgrade these kubelets to "
            "1.35.4";
  return {"NodeSkew", kube::Truth::kTrue,
          skew.without_sidecars.empty() ? "KubeletForgetsRestarts" : "NoNativeSidecars", text};
}

}  // namespace controller
