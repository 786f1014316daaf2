// The pod of a MemoryServer: one program with SQLite on a volume, or with PostgreSQL and nothing on
// disk that must stay.
#include "lib/base/text/text.h"
#include "operator/names/names.h"
#include "operator/objects/run_objects.h"
#include "operator/objects/server_objects.h"

namespace controller {
namespace {

using base::Json;

constexpr const char* kDataDirectory = "/data";

bool AsksWhoCalls(const api::MemoryServer& server) { return server.auth == "kubernetes"; }

// The names of the Service inside the cluster: without authentication the server answers no others.
std::string HostsOf(const ServerBlueprint& blueprint) {
  const std::string name = ServerObjectName(blueprint.server.name);
  const std::string in_namespace = name + "." + blueprint.server.name_space;
  const std::string full = in_namespace + ".svc";
  return base::Join({name, in_namespace, full, full + "." + blueprint.cluster_domain}, ",");
}

Json ArgumentsOf(const ServerBlueprint& blueprint) {
  const api::MemoryServer& server = blueprint.server;
  Json arguments = {"--listen=:" + std::to_string(kMemoryPort),
                    "--admin=:" + std::to_string(kServerAdminPort),
                    std::string("--data-dir=") + kDataDirectory, "--auth=" + server.auth};
  if (AsksWhoCalls(server)) {
    arguments.push_back("--audience=agent-memory." + server.name_space + "." +
                        ServerObjectName(server.name));
  } else {
    arguments.push_back("--insecure");
    arguments.push_back("--hosts=" + HostsOf(blueprint));
  }
  if (server.ui) arguments.push_back(std::string("--ui=") + (*server.ui ? "true" : "false"));
  if (!server.retention.empty())
    arguments.push_back(Verbatim("--retention=" + base::DumpJson(server.retention)));
  if (!blueprint.otlp_endpoint.empty())
    arguments.push_back("--otlp-endpoint=" + blueprint.otlp_endpoint);
  return arguments;
}

std::string Quantity(const Json& quantity) {
  return quantity.is_string() ? quantity.get<std::string>() : base::DumpJson(quantity);
}

// Defaults for values that the spec lacks. Drops a default request if the spec limits that
// resource, since the request may exceed the limit.
Json ResourcesOf(const api::MemoryServer& server) {
  Json resources = {{"requests", {{"cpu", "50m"}, {"memory", "64Mi"}}},
                    {"limits", {{"memory", "512Mi"}}}};
  const Json* limits = base::At(server.resources, {"limits"});
  if (limits && limits->is_object())
    for (const auto& [name, quantity] : limits->items()) {
      resources["requests"].erase(name);
      resources["limits"][name] = Quantity(quantity);
    }
  const Json* requests = base::At(server.resources, {"requests"});
  if (requests && requests->is_object())
    for (const auto& [name, quantity] : requests->items())
      resources["requests"][name] = Quantity(quantity);
  return resources;
}

Json Probe(const char* path, int period_s, int timeout_s, int failures) {
  return {{"httpGet", {{"path", path}, {"port", "admin"}}},
          {"periodSeconds", period_s},
          {"timeoutSeconds", timeout_s},
          {"failureThreshold", failures}};
}

Json ContainerOf(const ServerBlueprint& blueprint) {
  return {{"name", kServerContainer},
          {"image", blueprint.image},
          {"args", ArgumentsOf(blueprint)},
          {"ports",
           {{{"name", "memory"}, {"containerPort", kMemoryPort}, {"protocol", "TCP"}},
            {{"name", "admin"}, {"containerPort", kServerAdminPort}, {"protocol", "TCP"}}}},
          // The server checks a large database before it is ready.
          {"startupProbe", Probe("/readyz", 1, 1, 300)},
          {"livenessProbe", Probe("/livez", 10, 5, 6)},
          {"readinessProbe", Probe("/readyz", 2, 2, 3)},
          {"resources", ResourcesOf(blueprint.server)},
          {"securityContext",
           {{"allowPrivilegeEscalation", false},
            {"readOnlyRootFilesystem", true},
            {"runAsNonRoot", true},
            {"capabilities", {{"drop", {"ALL"}}}},
            {"seccompProfile", {{"type", "RuntimeDefault"}}}}},
          {"terminationMessagePolicy", "FallbackToLogsOnError"},
          {"volumeMounts",
           {{{"name", kClaimVolume}, {"mountPath", kDataDirectory}},
            {{"name", "tmp"}, {"mountPath", "/tmp"}}}}};
}

// What --store=postgres has in place of a volume: its Secrets as files, which follow a rotation,
// and room for uploads while they are read. All keys of the Secret: the DSN may name files beside
// it.
void AddPostgres(const api::MemoryServer& server, Json& pod) {
  const api::PostgresStore& postgres = *server.postgres;
  const std::string directory = std::string(kStoreDirectory) + "/";
  Json sources = {{{"secret", {{"name", postgres.secret}}}},
                  // Named once more, so that the kubelet says if this key is missing.
                  {{"secret",
                    {{"name", postgres.secret},
                     {"items", {{{"key", postgres.key}, {"path", postgres.key}}}}}}}};
  Json& container = pod["containers"][0];
  if (!postgres.ca_secret.empty()) {
    sources.push_back({{"secret",
                        {{"name", postgres.ca_secret},
                         {"items", {{{"key", postgres.ca_key}, {"path", kAuthorityFile}}}}}}});
    container["env"] = {{{"name", "HOME"}, {"value", kStoreDirectory}}};
  }
  container["args"].push_back("--store=postgres");
  container["args"].push_back(Verbatim("--dsn-file=" + directory + postgres.key));
  container["args"].push_back(std::string("--require-sync=") +
                              (postgres.require_sync ? "true" : "false"));
  // It starts without its database, and is ready once it has it.
  container["startupProbe"] = Probe("/livez", 1, 1, 300);
  container["volumeMounts"].push_back(
      {{"name", kStoreVolume}, {"mountPath", kStoreDirectory}, {"readOnly", true}});
  pod["volumes"].push_back(
      {{"name", kStoreVolume}, {"projected", {{"defaultMode", 0440}, {"sources", sources}}}});
  pod["volumes"].push_back({{"name", kClaimVolume}, {"emptyDir", {{"sizeLimit", "4Gi"}}}});
  // The loss of a node takes as few replicas as possible; counts those of a template by themselves.
  pod["topologySpreadConstraints"] = {
      {{"maxSkew", 1},
       {"topologyKey", "kubernetes.io/hostname"},
       {"whenUnsatisfiable", "ScheduleAnyway"},
       {"labelSelector", {{"matchLabels", {{kServerLabel, server.name}}}}},
       {"matchLabelKeys", {"pod-template-hash"}}}};
}

}  // namespace

base::Json ServerPodOf(const ServerBlueprint& blueprint, bool with_postgres) {
  const api::MemoryServer& server = blueprint.server;
  Json pod = {{"serviceAccountName", ServerObjectName(server.name)},
              // The server reviews its callers' tokens with this token.
              {"automountServiceAccountToken", AsksWhoCalls(server)},
              {"enableServiceLinks", false},
              {"terminationGracePeriodSeconds", 30},
              {"securityContext",
               {{"runAsNonRoot", true},
                {"runAsUser", kDefaultUser},
                {"runAsGroup", kDefaultUser},
                {"fsGroup", kDefaultUser},
                {"fsGroupChangePolicy", "OnRootMismatch"},
                {"seccompProfile", {{"type", "RuntimeDefault"}}}}},
              {"containers", Json::array({ContainerOf(blueprint)})},
              // For SQLite's temporary files, since the root is read-only.
              {"volumes", {{{"name", "tmp"}, {"emptyDir", {{"sizeLimit", "1Gi"}}}}}}};
  if (with_postgres) AddPostgres(server, pod);
  return {{"metadata",
           {{"labels", {{kServerLabel, server.name}, {kManagedByLabel, kManagedBy}}},
            {"annotations", {{kDefaultContainer, kServerContainer}}}}},
          {"spec", pod}};
}

}  // namespace controller
