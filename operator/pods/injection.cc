// A native sidecar (KEP-753): an init container with restartPolicy Always, started before the agent
// and stopped after it. Its probes ignore the memory server, so that an outage of it blocks no
// agent.
#include "operator/pods/injection.h"

#include "operator/names/names.h"

namespace controller {
namespace {

using base::Json;

constexpr int kTokenSeconds = 3600;
constexpr const char* kStateVolume = "agent-memory-state";
constexpr const char* kEmptyDirSize = "1Gi";
constexpr const char* kEmptyDirState = "512Mi";  // limit of state.db; salvaged copies use the rest
constexpr const char* kSidecarProgram = "/usr/bin/agent-memory-sidecar";  // Dockerfile.sidecar

Json Probe(const char* path, int period_s, int failures) {
  return {{"httpGet", {{"path", path}, {"port", kSidecarAdminPort}, {"scheme", "HTTP"}}},
          {"periodSeconds", period_s},
          {"failureThreshold", failures},
          {"timeoutSeconds", 3},
          {"successThreshold", 1}};
}

Json Resources(const Json& wished) {
  Json out = {{"requests", {{"cpu", "10m"}, {"memory", "32Mi"}}},
              {"limits", {{"memory", "128Mi"}}}};
  for (const char* part : {"requests", "limits"}) {
    const Json* fields = base::At(wished, {part});
    if (!fields || !fields->is_object()) continue;
    for (const auto& [name, quantity] : fields->items())
      out[part][name] =
          quantity.is_string() ? quantity.get<std::string>() : base::DumpJson(quantity);
  }
  return out;
}

// All requirements of Pod Security `restricted`, on the container itself.
Json Restricted() {
  return {{"runAsNonRoot", true},
          {"allowPrivilegeEscalation", false},
          {"readOnlyRootFilesystem", true},
          {"capabilities", {{"drop", {"ALL"}}}},
          {"seccompProfile", {{"type", "RuntimeDefault"}}}};
}

Json StateMount(const SidecarShape& shape) {
  if (shape.state_volume.empty()) return {{"name", kStateVolume}, {"mountPath", kStateDirectory}};
  return {{"name", shape.state_volume}, {"mountPath", kStateDirectory}, {"subPath", "memory"}};
}

size_t PlaceOf(const Json& init_containers, const std::string& placement) {
  if (placement == "Last") return init_containers.size();
  const size_t colon = placement.find(':');
  if (colon == std::string::npos) return 0;
  for (size_t i = 0; i < init_containers.size(); ++i)
    if (base::StringAt(init_containers[i], {"name"}) == placement.substr(colon + 1))
      return placement.starts_with("After") ? i + 1 : i;
  return 0;
}

// Replaces the element with the name of `item`, or inserts it at `place`.
void PutNamed(Json& list, Json item, size_t place) {
  if (!list.is_array()) list = Json::array();
  for (Json& present : list)
    if (present.is_object() && present.value("name", Json()) == item["name"]) {
      present = std::move(item);
      return;
    }
  list.insert(list.begin() + static_cast<std::ptrdiff_t>(std::min(place, list.size())),
              std::move(item));
}

Json VolumesOf(const SidecarShape& shape) {
  Json token = {
      {"serviceAccountToken",
       {{"audience", shape.audience}, {"expirationSeconds", kTokenSeconds}, {"path", "token"}}}};
  Json volumes = {{{"name", kPolicyVolume}, {"configMap", {{"name", shape.policy_map}}}},
                  {{"name", kTokenVolume}, {"projected", {{"sources", Json::array({token})}}}}};
  if (shape.state_volume.empty())
    volumes.push_back({{"name", kStateVolume}, {"emptyDir", {{"sizeLimit", kEmptyDirSize}}}});
  return volumes;
}

void PutParts(Json& pod_spec, Json sidecar, const Json& volumes, const std::string& placement) {
  Json& init_containers = pod_spec["initContainers"];
  if (!init_containers.is_array()) init_containers = Json::array();
  PutNamed(init_containers, std::move(sidecar), PlaceOf(init_containers, placement));
  for (const Json& volume : volumes) PutNamed(pod_spec["volumes"], volume, SIZE_MAX);
}

// `sidecar` with the image and resources of the pod's own container of that name.
Json WithWishesOf(const Json& declared, Json sidecar) {
  const std::string image = base::StringAt(declared, {"image"});
  if (!image.empty() && image != "auto") sidecar["image"] = image;
  // Limits count as requests too: the API server sets missing requests to the limits before any
  // policy sees the pod.
  const std::pair<const char*, const char*> wishes[] = {
      {"limits", "requests"}, {"requests", "requests"}, {"limits", "limits"}};
  for (const auto& [from, to] : wishes)
    if (const Json* wished = base::At(declared, {"resources", from}); wished && wished->is_object())
      sidecar["resources"][to].update(*wished);
  return sidecar;
}

}  // namespace

base::Json SidecarContainer(const SidecarShape& shape) {
  const std::string policy = std::string("--policy=") + kPolicyDirectory + "/" + kPolicyFile;
  Json arguments = {"--listen=127.0.0.1:" + std::to_string(kMemoryPort),
                    "--admin=:" + std::to_string(kSidecarAdminPort), policy,
                    std::string("--data-dir=") + kStateDirectory,
                    std::string("--token-file=") + kTokenDirectory + "/token"};
  if (!shape.otlp_endpoint.empty()) arguments.push_back("--otlp-endpoint=" + shape.otlp_endpoint);
  Json container = {
      {"name", kSidecarContainer},
      {"image", shape.image},
      {"restartPolicy", "Always"},
      {"args", std::move(arguments)},
      {"ports",
       {{{"name", "memory-admin"}, {"containerPort", kSidecarAdminPort}, {"protocol", "TCP"}}}},
      {"resources", Resources(shape.resources)},
      {"startupProbe", Probe("/readyz", 1, 60)},
      {"livenessProbe", Probe("/livez", 10, 3)},
      {"securityContext", Restricted()},
      {"terminationMessagePolicy", "FallbackToLogsOnError"},
      {"volumeMounts",
       {StateMount(shape),
        {{"name", kPolicyVolume}, {"mountPath", kPolicyDirectory}, {"readOnly", true}},
        {{"name", kTokenVolume}, {"mountPath", kTokenDirectory}, {"readOnly", true}}}}};
  // An emptyDir shows the node's disk, not its own limit. An environment variable, since an older
  // image rejects an unknown flag.
  if (shape.state_volume.empty()) {
    const Json limit = {{"name", "AGENT_MEMORY_MAX_STATE"}, {"value", kEmptyDirState}};
    container["env"] = Json::array({limit});
  }
  return container;
}

void AwaitByHook(base::Json& sidecar) {
  sidecar.erase("startupProbe");
  sidecar["lifecycle"]["postStart"]["exec"]["command"] = {kSidecarProgram, "await", "--within=60s"};
}

void InjectSidecar(base::Json& pod_spec, const SidecarShape& shape) {
  PutParts(pod_spec, SidecarContainer(shape), VolumesOf(shape), shape.placement);
}

base::Json ForeignParts(const SidecarShape& shape) {
  const Json url = {{"name", kMemoryUrlVariable}, {"value", kSidecarUrl}};
  return {{"sidecar", SidecarContainer(shape)},
          {"volumes", VolumesOf(shape)},
          {"env", Json::array({url})}};
}

void InjectIntoForeignPod(base::Json& pod, const base::Json& parts, const std::string& placement) {
  Json sidecar = parts["sidecar"];
  Json& spec = pod["spec"];
  Json& annotations = pod["metadata"]["annotations"];
  if (const Json* declared = FindNamed(spec, "initContainers", kSidecarContainer)) {
    const Json* wished = base::At(*declared, {"securityContext"});
    if (wished && *wished != sidecar["securityContext"]) annotations[kClamped] = "securityContext";
    sidecar = WithWishesOf(*declared, std::move(sidecar));
  }
  PutParts(spec, std::move(sidecar), parts["volumes"], placement);
  for (const Json& variable : parts["env"]) {
    const std::string name = base::StringAt(variable, {"name"});
    Json& first = spec["containers"][0];
    if (!FindNamed(first, "env", name)) PutNamed(first["env"], variable, SIZE_MAX);
  }
  annotations[kInjected] = "true";
}

const base::Json* FindNamed(const base::Json& object, const char* list, const std::string& name) {
  const Json* items = base::At(object, {list});
  if (!items || !items->is_array()) return nullptr;
  for (const Json& item : *items)
    if (item.is_object() && base::StringAt(item, {"name"}) == name) return &item;
  return nullptr;
}

}  // namespace controller
