// Flags of the memory server.
#include "memory/server_settings.h"

#include "lib/api/shared_memory.h"
#include "lib/base/process/log.h"
#include "lib/http/server/address.h"
#include "lib/http/server/cross_origin_guard.h"
#include "memory/identity/identity.h"
#include "memory/trace_settings.h"

namespace memory {

using base::Code;
using base::Error;
using base::Setting;
using base::Status;

namespace {

using Kind = Setting::Kind;

std::vector<Setting> CallerSettings() {
  return {
      {"auth", Kind::kString, "none",
       "authentication of callers: none (all callers are one tenant) or kubernetes (ServiceAccount "
       "tokens; each namespace is a tenant)"},
      {"insecure", Kind::kBool, "false", "allow --auth none on an address that is not loopback"},
      {"ui", Kind::kString, "auto",
       "web console under /ui/: true, false, or auto (true, but false with --auth none on an "
       "address that is not loopback)"},
      {"hosts", Kind::kList, "",
       "host names of the server that requests may use, with --auth none; localhost and IP "
       "addresses are always allowed"},
      {"allowed-origins", Kind::kList, "",
       "origins of web pages that may send requests, with --auth none; pages of localhost are "
       "always allowed"},
      {"share-file", Kind::kString, "",
       "JSON file of grants of shared memory between Agents, with --auth none: {\"owner\": "
       "[{\"agents\": [\"b\"], \"access\": \"read\"}]}; reloaded when it changes"},
      {"audience", Kind::kList, "",
       "accepted audiences of tokens, with --auth kubernetes: agent-memory.<namespace>.<service>, "
       "one for each Service of the server"},
      {"anonymous-namespace", Kind::kString, "",
       "tenant of requests without a token, with --auth kubernetes; empty: they get 401"},
      {"anonymous-role", Kind::kString, "reader",
       "role of requests without a token: reader or agent"},
      {"kubeconfig", Kind::kString, "",
       "kubeconfig of the API server that reviews tokens, with --auth kubernetes; empty: the Pod's "
       "ServiceAccount"},
  };
}

std::vector<Setting> ServingSettings() {
  return {
      {"listen", Kind::kString, "",
       "listen address of the API; port 0: the system chooses; default: :7437, with --auth none "
       "127.0.0.1:7437"},
      {"admin", Kind::kString, "",
       "listen address of /livez, /readyz and /metrics; default: :7438, with --auth none "
       "127.0.0.1:7438"},
      {"aegis-listen", Kind::kString, "",
       "listen address that serves only the routes of an AEGIS memory service, for example :8002; "
       "default: MEMORY_HOST:MEMORY_PORT of the environment when one of them is set, else none"},
      {"working-memory-ttl", Kind::kDuration, "24h",
       "time to live of working memory without a ttl_seconds, from its last use; default: "
       "WORKING_MEMORY_TTL (seconds) of the environment when it is set",
       1000, 365 * 24 * 3'600'000LL},
      {"checkpoints", Kind::kInt, "3", "generations of checkpoints that a conversation keeps", 1,
       100},
      {"data-dir", Kind::kString, "/var/lib/agent-memory",
       "directory of the database files; one process at a time uses it"},
      {"open-tenants", Kind::kInt, "256",
       "limit of namespaces with open files; the least recently used is closed", 1, 4096},
      {"dedup-window", Kind::kDuration, "15m",
       "equal content within this time increments a count and adds no row", 0, 24 * 3'600'000LL},
      {"idempotency-retention", Kind::kDuration, "168h", "how long Idempotency-Keys are kept",
       60'000, 90 * 24 * 3'600'000LL},
      {"query-deadline", Kind::kDuration, "250ms",
       "time limit of a search, which then returns what it has found (X-Partial)", 10, 60'000},
      {"read-timeout", Kind::kDuration, "5s",
       "time limit of a read, with its wait for a connection; then 503", 100, 600'000},
      {"readers", Kind::kInt, "4", "read connections of a database file", 1, 64},
      {"index-memory", Kind::kBytes, "8Mi",
       "memory limit of the resident index of searched projects; 0: none", 0, int64_t{1} << 36},
      {"cache-memory", Kind::kBytes, "0",
       "memory limit of the page caches of all open files; at the limit the least recently used "
       "caches are emptied. 0: an eighth of the container's memory limit",
       0, int64_t{1} << 36},
      {"workers", Kind::kInt, "32", "threads that answer requests", 1, 512},
      {"queue", Kind::kInt, "256", "requests that may wait for a thread; more get 503", 0, 100'000},
      {"memory-budget", Kind::kBytes, "0",
       "memory limit of request bodies with their copies and of unsent answers; more requests get "
       "503. 0: a quarter of the container's memory limit",
       0, int64_t{1} << 36},
      {"max-stream", Kind::kBytes, "2Gi", "size limit of a transcript or an import", 1 << 20,
       int64_t{1} << 40},
      {"min-free", Kind::kBytes, "8Mi",
       "free space below which writes get 507 and the server is not ready; deletes continue", 0,
       int64_t{1} << 40},
      {"max-log", Kind::kBytes, "64Mi",
       "size limit of the WAL of a tenant's file; the server interrupts readers that hold a longer "
       "one, and writes get 503 until the WAL is shorter",
       8 << 20, int64_t{1} << 40},
      {"ballast", Kind::kBytes, "8Mi",
       "size of a reserve file in data-dir, released for deletes and a shutdown on a full volume; "
       "at most an eighth of the volume",
       0, 64 << 20},
  };
}

std::vector<Setting> KeepingSettings() {
  return {
      {"quota-writes", Kind::kInt, "1200",
       "writes per minute of one agent (its ServiceAccount); more get 429, deletes never do. "
       "Outbox deliveries and imports have separate budgets of this size. 0: no limit; with --auth "
       "none only when it is given",
       0, 10'000'000},
      {"quota-burst", Kind::kInt, "6000",
       "size of the token bucket of quota-writes: writes of one agent at once", 1, 100'000'000},
      {"quota-rows", Kind::kInt, "2000000",
       "memories of one tenant; at the limit writes get 507, deletes continue. 0: no limit; with "
       "--auth none only when it is given",
       0, int64_t{1} << 40},
      {"quota-bytes", Kind::kBytes, "2Gi",
       "size of one tenant's file without its free pages; at the limit writes get 507, deletes "
       "continue. 0: no limit; with --auth none only when it is given",
       0, int64_t{1} << 44},
      {"check-every", Kind::kDuration, "24h",
       "interval of background integrity checks of files; 0: only after an error", 0,
       90 * 24 * 3'600'000LL},
      {"lock-wait", Kind::kDuration, "45s",
       "how long to wait for another process to release data-dir", 0, 600'000},
      {"drain", Kind::kDuration, "10s", "how long running requests may take at shutdown", 0,
       600'000},
      telemetry::EndpointSetting(),
      telemetry::ModuleSetting(),
      {"log-level", Kind::kString, "info", "debug, info, warn or error"},
  };
}

}  // namespace

const base::Program& ServerProgram() {
  static const base::Program kProgram = [] {
    base::Program program = {
        "agent-memory-server", "Keeps what agents learned, and finds it again.", ServingSettings(),
        "'agent-memory-server export' and 'agent-memory-server import' move memories of a data-dir "
        "that no server uses, 'agent-memory-server migrate' to PostgreSQL and back; each has "
        "--help. "
        "'agent-memory-server openapi' prints the routes as "
        "an OpenAPI "
        "document.\nexample:\n  agent-memory-server --listen "
        "127.0.0.1:7437 --admin 127.0.0.1:7438 "
        "--data-dir ./memory-data\n"};
    for (const auto& more : {EngineFlags(), CallerSettings(), EmbeddingFlags(), ExtractionFlags(),
                             TraceFlags(), RetentionFlags(), KeepingSettings()})
      program.settings.insert(program.settings.end(), more.begin(), more.end());
    program.commands = {"export", "import", "migrate", "openapi"};
    program.check = [](const base::Settings& settings) -> Status {
      ASSIGN_OR_RETURN([[maybe_unused]] base::Level level,
                       base::ParseLevel(settings.Text("log-level")));
      if (const std::string ui = settings.Text("ui"); ui != "auto" && ui != "true" && ui != "false")
        return Error{Code::kInvalid, "ui: \"" + ui + "\" is none of auto, true and false"};
      if (auto weights = ParseTraceWeights(settings.List("trace-weights")); !weights)
        return base::Wrap("trace-weights", weights.error());
      return CheckServerSettings(ReadServerSettings(settings));
    };
    return program;
  }();
  return kProgram;
}

namespace {

// With --auth none there is one tenant and no other to protect: quotas apply only if given.
void ReadQuotas(const base::Settings& settings, ServerSettings& read) {
  auto holds = [&](const char* name) { return read.auth != "none" || settings.IsSet(name); };
  if (holds("quota-writes")) read.budgets.per_minute = settings.Int("quota-writes");
  read.budgets.burst = settings.Int("quota-burst");
  if (holds("quota-rows")) read.store.quota.rows = settings.Int("quota-rows");
  if (holds("quota-bytes")) read.store.quota.bytes = settings.Bytes("quota-bytes");
}

// Flags override the environment of an AEGIS deployment.
void ReadAegis(const base::Settings& settings, const std::string& host, ServerSettings& read) {
  read.aegis = ReadAegisEnvironment(base::Environment());
  read.aegis_listen = settings.Text("aegis-listen");
  read.store.working_memory_ttl_ms = settings.Milliseconds("working-memory-ttl");
  read.store.checkpoints_kept = settings.Int("checkpoints");
  if (!read.aegis) return;
  if (read.aegis_listen.empty()) read.aegis_listen = AegisAddress(*read.aegis, host);
  if (!settings.IsSet("working-memory-ttl"))
    read.store.working_memory_ttl_ms =
        read.aegis->working_memory_ttl_ms.value_or(read.store.working_memory_ttl_ms);
}

}  // namespace

ServerSettings ReadServerSettings(const base::Settings& settings) {
  ServerSettings read;
  read.auth = settings.Text("auth");
  // With authentication the server listens on all addresses, without it on loopback.
  const std::string host = read.auth == "none" ? "127.0.0.1" : "";
  const std::string listen = settings.Text("listen"), admin = settings.Text("admin");
  read.listen = listen.empty() ? host + ":7437" : listen;
  read.admin = admin.empty() ? host + ":7438" : admin;
  ReadAegis(settings, host, read);
  read.data_dir = settings.Text("data-dir");
  read.engine = ReadEngineSettings(settings);
  read.insecure = settings.Bool("insecure");
  const std::string ui = settings.Text("ui");
  read.ui = ui == "true" ||
            (ui == "auto" && (read.auth != "none" || http::IsLoopbackAddress(read.listen)));
  read.hosts = settings.List("hosts");
  read.allowed_origins = settings.List("allowed-origins");
  read.share_file = settings.Text("share-file");
  read.audiences = settings.List("audience");
  read.anonymous_namespace = settings.Text("anonymous-namespace");
  read.anonymous_role = settings.Text("anonymous-role");
  read.kubeconfig = settings.Text("kubeconfig");
  read.open_tenants = static_cast<size_t>(settings.Int("open-tenants"));
  read.workers = static_cast<size_t>(settings.Int("workers"));
  read.queue = static_cast<size_t>(settings.Int("queue"));
  read.memory_budget = settings.Bytes("memory-budget");
  read.max_stream_bytes = static_cast<size_t>(settings.Bytes("max-stream"));
  read.cache_memory = settings.Bytes("cache-memory");
  read.min_free_bytes = settings.Bytes("min-free");
  read.ballast_bytes = settings.Bytes("ballast");
  read.store.max_log_bytes = settings.Bytes("max-log");
  ReadQuotas(settings, read);
  read.check_every_ms = settings.Milliseconds("check-every");
  read.lock_wait_ms = settings.Milliseconds("lock-wait");
  read.drain_ms = settings.Milliseconds("drain");
  read.store.dedup_window_ms = settings.Milliseconds("dedup-window");
  read.store.idempotency_ms = settings.Milliseconds("idempotency-retention");
  read.retention = ReadRetentionSettings(settings, read.store);
  read.store.query_deadline_ms = settings.Milliseconds("query-deadline");
  read.store.read_timeout_ms = settings.Milliseconds("read-timeout");
  read.store.readers = static_cast<size_t>(settings.Int("readers"));
  read.store.index_bytes = static_cast<size_t>(settings.Bytes("index-memory"));
  const AegisEnvironment aegis = read.aegis ? *read.aegis : AegisEnvironment();
  read.embeddings = ReadEmbeddingSettings(settings, aegis);
  read.extraction = ReadExtractionSettings(settings, aegis);
  ReadTraceSettings(settings, read.store);
  read.traces = telemetry::ReadTraceOptions(settings, "agent-memory-server", base::Environment());
  return read;
}

namespace {

Status CheckIdentity(const ServerSettings& settings) {
  if (settings.audiences.empty()) {
    return Error{Code::kInvalid,
                 "audience: is required with --auth kubernetes; agents have tokens for "
                 "agent-memory.<namespace>.<service>, with the Service they call"};
  }
  if (settings.insecure)
    return Error{
        Code::kInvalid,
        "insecure: allows requests without authentication; leave it out with --auth kubernetes"};
  if (!settings.hosts.empty() || !settings.allowed_origins.empty())
    return Error{Code::kInvalid,
                 "hosts and allowed-origins have no effect with --auth kubernetes, which "
                 "authenticates by token; leave them out"};
  if (!settings.share_file.empty())
    return Error{Code::kInvalid,
                 "share-file has no effect with --auth kubernetes, where Roles on " +
                     std::string(api::kSharedResource) + "." + api::kSharedGroup +
                     " grant shared memory; leave it out"};
  if (auto role = ParseRole(settings.anonymous_role); !role)
    return base::Wrap("anonymous-role", role.error());
  return {};
}

Status CheckNoIdentity(const ServerSettings& settings) {
  if (!settings.audiences.empty() || !settings.anonymous_namespace.empty()) {
    return Error{Code::kInvalid,
                 "audience and anonymous-namespace have no effect with --auth none, which "
                 "authenticates no caller; add --auth kubernetes, or leave them out"};
  }
  for (const std::string& name : settings.hosts)
    if (auto checked = http::CheckHostName(name); !checked)
      return base::Wrap("hosts", checked.error());
  if (settings.insecure) return {};
  for (const auto& [name, listen] : {std::pair("listen", &settings.listen),
                                     {"aegis-listen (or MEMORY_HOST)", &settings.aegis_listen}}) {
    if (listen->empty() || http::IsLoopbackAddress(*listen)) continue;
    return Error{
        Code::kInvalid,
        std::string(name) + ": other machines can reach " + *listen +
            ", and --auth none authenticates no caller; use an address like 127.0.0.1:7437, --auth "
            "kubernetes, or --insecure if the network restricts access"};
  }
  return {};
}

}  // namespace

Status CheckServerSettings(const ServerSettings& settings) {
  if (settings.store.query_deadline_ms >= settings.store.read_timeout_ms) {
    return Error{Code::kInvalid,
                 "query-deadline: " + std::to_string(settings.store.query_deadline_ms) +
                     " ms is not less than read-timeout (" +
                     std::to_string(settings.store.read_timeout_ms) +
                     " ms): searches would be ended before they answer with what they have"};
  }
  RETURN_IF_ERROR(CheckEngineSettings(settings.engine));
  RETURN_IF_ERROR(CheckRetentionSettings(settings.retention));
  RETURN_IF_ERROR(CheckEndpoint(settings.embeddings.endpoint));
  RETURN_IF_ERROR(CheckExtractionSettings(settings.extraction));
  if (!settings.embeddings.endpoint.url.empty() &&
      settings.embeddings.endpoint.deadline_ms >= settings.store.query_deadline_ms) {
    return Error{Code::kInvalid,
                 "embedding-deadline: " + std::to_string(settings.embeddings.endpoint.deadline_ms) +
                     " ms is not less than query-deadline (" +
                     std::to_string(settings.store.query_deadline_ms) +
                     " ms): no time would be left to search"};
  }
  RETURN_IF_ERROR(telemetry::CheckTraceOptions(settings.traces));
  for (const auto& [name, value] :
       {std::pair("listen", &settings.listen), {"admin", &settings.admin}})
    if (auto address = http::ParseAddress(*value); !address)
      return base::Wrap(name, address.error());
  if (!settings.aegis) return settings.aegis.error();
  if (auto address = http::ParseAddress(settings.aegis_listen);
      !address && !settings.aegis_listen.empty())
    return base::Wrap("aegis-listen", address.error());
  if (settings.auth == "kubernetes") return CheckIdentity(settings);
  if (settings.auth == "none") return CheckNoIdentity(settings);
  return Error{Code::kInvalid, "auth: \"" + settings.auth + "\" is neither none nor kubernetes"};
}

}  // namespace memory
