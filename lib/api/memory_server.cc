// Decodes a MemoryServer, which the API server has validated; null equals absent.
#include "lib/api/memory_server.h"

namespace api {
namespace {

using base::Json;

constexpr const char* kDefaultSize = "10Gi";

base::Error WrongServer(const std::string& what) {
  return base::Error{base::Code::kInvalid, "MemoryServer: " + what};
}

// The field of the spec; `fallback` if absent or null.
base::Result<Json> Part(const Json& spec, const char* field, const Json& fallback) {
  const Json* found = base::At(spec, {field});
  if (!found || found->is_null()) return fallback;
  if (found->type() != fallback.type())
    return WrongServer(std::string(field) + " must be " +
                       (fallback.is_array() ? "a list" : "an object"));
  return *found;
}

base::Status ReadStorage(const Json& spec, MemoryServer& server) {
  ASSIGN_OR_RETURN(server.storage, DecodeStorage(spec));
  const Json* size = base::At(spec, {"storage", "size"});
  if (!size || size->is_null()) server.storage.size = kDefaultSize;
  return {};
}

constexpr const char* kHalfGiven =
    "spec.store.postgres needs secretRef.name and key: the Secret, and its key with the DSN";
constexpr const char* kOneWriter =
    "spec.replicas: a SQLite file has one writer. For more than 1 set spec.store.postgres: "
    "{secretRef: {name: …}, key: …}";

base::Result<std::string> Word(const Json& object, const char* field) {
  ASSIGN_OR_RETURN(auto word, base::OptionalString(object, field));
  return word.value_or("");
}

base::Status ReadPostgres(const Json& given, MemoryServer& server) {
  PostgresStore postgres;
  ASSIGN_OR_RETURN(const Json secret, Part(given, "secretRef", Json::object()));
  ASSIGN_OR_RETURN(const Json authority, Part(given, "caSecretRef", Json::object()));
  ASSIGN_OR_RETURN(postgres.secret, Word(secret, "name"));
  ASSIGN_OR_RETURN(postgres.key, Word(given, "key"));
  ASSIGN_OR_RETURN(postgres.ca_secret, Word(authority, "name"));
  ASSIGN_OR_RETURN(postgres.ca_key, Word(authority, "key"));
  ASSIGN_OR_RETURN(const auto require_sync, base::OptionalBool(given, "requireSync"));
  if (postgres.secret.empty() || postgres.key.empty()) return WrongServer(kHalfGiven);
  if (postgres.ca_secret.empty() != postgres.ca_key.empty())
    return WrongServer("spec.store.postgres.caSecretRef needs name and key");
  postgres.require_sync = require_sync.value_or(server.replicas > 1);
  server.postgres = std::move(postgres);
  return {};
}

base::Status ReadStore(const Json& spec, MemoryServer& server) {
  ASSIGN_OR_RETURN(const auto replicas, base::OptionalInt(spec, "replicas"));
  ASSIGN_OR_RETURN(const Json store, Part(spec, "store", Json::object()));
  ASSIGN_OR_RETURN(const auto allowed, base::OptionalBool(store, "allowChange"));
  server.replicas = static_cast<int>(replicas.value_or(1));
  server.allow_store_change = allowed.value_or(false);
  const Json* postgres = base::At(store, {"postgres"});
  if (postgres && !postgres->is_null()) {
    if (!postgres->is_object()) return WrongServer(kHalfGiven);
    return ReadPostgres(*postgres, server);
  }
  if (server.replicas > 1) return WrongServer(kOneWriter);
  return {};
}

base::Result<std::vector<int>> Ports(const Json& policy, const char* field,
                                     const std::vector<int>& fallback) {
  ASSIGN_OR_RETURN(const Json given, Part(policy, field, Json::array()));
  std::vector<int> ports;
  for (const Json& port : given) {
    if (!port.is_number_integer())
      return WrongServer(std::string("networkPolicy.") + field + " must be numbers");
    ports.push_back(port.get<int>());
  }
  return ports.empty() ? fallback : ports;
}

base::Status ReadNetworkPolicy(const Json& spec, MemoryServer& server) {
  ASSIGN_OR_RETURN(Json policy, Part(spec, "networkPolicy", Json::object()));
  ASSIGN_OR_RETURN(auto enabled, base::OptionalBool(policy, "enabled"));
  server.network_policy = enabled.value_or(true);
  ASSIGN_OR_RETURN(server.api_server_ports,
                   Ports(policy, "apiServerPorts", server.api_server_ports));
  ASSIGN_OR_RETURN(server.postgres_ports, Ports(policy, "postgresPorts", server.postgres_ports));
  return {};
}

base::Status ReadPodMonitor(const Json& spec, MemoryServer& server) {
  ASSIGN_OR_RETURN(Json monitor, Part(spec, "podMonitor", Json::object()));
  ASSIGN_OR_RETURN(auto enabled, base::OptionalBool(monitor, "enabled"));
  server.pod_monitor = enabled.value_or(false);
  ASSIGN_OR_RETURN(Json labels, Part(monitor, "labels", Json::object()));
  for (const auto& [name, value] : labels.items()) {
    if (!value.is_string()) return WrongServer("podMonitor.labels must be strings");
    server.pod_monitor_labels[name] = value.get<std::string>();
  }
  return {};
}

}  // namespace

base::Result<MemoryServer> DecodeMemoryServer(const Json& object) {
  const Json* metadata = base::At(object, {"metadata"});
  const Json* spec = base::At(object, {"spec"});
  if (!metadata || !metadata->is_object() || !spec || !spec->is_object())
    return WrongServer("metadata and spec must be objects");
  MemoryServer server;
  ASSIGN_OR_RETURN(server.name, base::RequiredString(*metadata, "name"));
  ASSIGN_OR_RETURN(auto name_space, base::OptionalString(*metadata, "namespace"));
  ASSIGN_OR_RETURN(auto uid, base::OptionalString(*metadata, "uid"));
  ASSIGN_OR_RETURN(auto generation, base::OptionalInt(*metadata, "generation"));
  ASSIGN_OR_RETURN(auto image, base::OptionalString(*spec, "image"));
  ASSIGN_OR_RETURN(auto auth, base::OptionalString(*spec, "auth"));
  ASSIGN_OR_RETURN(server.ui, base::OptionalBool(*spec, "ui"));
  ASSIGN_OR_RETURN(auto evictable, base::OptionalBool(*spec, "evictable"));
  server.name_space = name_space.value_or("");
  server.uid = uid.value_or("");
  server.generation = generation.value_or(0);
  server.image = image.value_or("");
  server.auth = auth.value_or("kubernetes");
  server.evictable = evictable.value_or(true);
  RETURN_IF_ERROR(ReadStore(*spec, server));
  RETURN_IF_ERROR(ReadStorage(*spec, server));
  ASSIGN_OR_RETURN(server.resources, Part(*spec, "resources", Json::object()));
  ASSIGN_OR_RETURN(server.retention, Part(*spec, "retention", Json::array()));
  ASSIGN_OR_RETURN(server.project_grants, Part(*spec, "projectGrants", Json::array()));
  RETURN_IF_ERROR(ReadNetworkPolicy(*spec, server));
  RETURN_IF_ERROR(ReadPodMonitor(*spec, server));
  return server;
}

}  // namespace api
