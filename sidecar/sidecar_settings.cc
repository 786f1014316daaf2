// The table of settings, and the checks of combinations.
#include "sidecar/sidecar_settings.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "lib/base/process/log.h"
#include "lib/http/server/address.h"
#include "lib/http/server/cross_origin_guard.h"

namespace sidecar {

using Kind = base::Setting::Kind;

namespace {

constexpr int64_t kYearMs = int64_t{365} * 24 * 3'600'000;

// The settings that limit the size of state.db.
std::vector<base::Setting> KeepingSettings() {
  return {
      {"answers-keep", Kind::kDuration, "24h",
       "how long a repeated event gets its first answer; 0s: forever", 0, kYearMs},
      {"conversation-ttl", Kind::kDuration, "0s",
       "idle time after which a conversation is hidden; 0s: never", 0, 10 * kYearMs},
      {"conversation-keep", Kind::kDuration, "2160h",
       "age at which ended conversations, and old messages of open ones, are deleted; 0s: never, "
       "whatever their size",
       0, 10 * kYearMs},
      {"injections-keep", Kind::kDuration, "2160h",
       "how long the record of an injection is kept; 0s: forever, whatever their size", 0,
       10 * kYearMs},
      {"audit-keep", Kind::kDuration, "2160h",
       "how long a row of the audit log is kept after it was read; 0s: forever. Unread rows stay",
       0, 10 * kYearMs},
      {"max-state", Kind::kBytes, "0",
       "size limit of state.db, above which the oldest rows are deleted; 0: half of the volume, at "
       "most 4Gi",
       0},
  };
}

base::Program Completed(base::Program program) {
  std::ranges::move(KeepingSettings(), std::back_inserter(program.settings));
  program.check = [](const base::Settings& settings) -> base::Status {
    ASSIGN_OR_RETURN([[maybe_unused]] base::Level level,
                     base::ParseLevel(settings.Text("log-level")));
    return CheckSidecarSettings(ReadSidecarSettings(settings));
  };
  program.commands = {"check", "mcp", "await", "replay"};
  return program;
}

}  // namespace

const base::Program& SidecarProgram() {
  static const base::Program program = Completed(
      {"agent-memory-sidecar",
       "Puts memory into an agent's turns: captures by rule, recalls for prompts, keeps "
       "conversations.",
       {
           {"listen", Kind::kString, "127.0.0.1:7437",
            "listen address for the agent; loopback only"},
           {"admin", Kind::kString, "127.0.0.1:7438",
            "listen address of probes, metrics and the policy's digest"},
           {"policy", Kind::kString, "/etc/agent-memory/policy.json",
            "the policy file; reloaded when it changes"},
           {"data-dir", Kind::kString, "/var/lib/agent-memory",
            "directory of state.db; one process at a time uses it"},
           {"token-file", Kind::kString, "",
            "file of the bearer token for the memory server; empty: no token is sent"},
           {"lock-wait", Kind::kDuration, "45s",
            "how long to wait for another process to release data-dir", 0, 3'600'000},
           {"allowed-origins", Kind::kList, "",
            "origins of web pages that may send requests; empty: none"},
           {"erase", Kind::kBool, "false",
            "serve POST /v1/erase without memory.allowAdmin: on a laptop, whose user erases "
            "memories"},
           {"recall-timeout", Kind::kDuration, "200ms", "time limit of the memory search of a turn",
            1, 10'000},
           {"policy-interval", Kind::kDuration, "250ms", "interval of checks of the policy file",
            10, 2'000},
           {"retry-longest", Kind::kDuration, "30s",
            "longest backoff between deliveries of a write", 200, 600'000},
           {"drain-timeout", Kind::kDuration, "20s", "time limit of deliveries at shutdown", 0,
            600'000},
           {"session-idle", Kind::kDuration, "4h",
            "idle time after which a session ends; 0s: never", 0, kYearMs},
           {"checkpoints", Kind::kInt, "3", "generations of checkpoints that a conversation keeps",
            1, 100},
           {"outbox-rows", Kind::kInt, "10000", "limit of writes that wait for the memory server",
            1, 10'000'000},
           {"outbox-bytes", Kind::kBytes, "64Mi", "size limit of the waiting writes", 1 << 16},
           {"workers", Kind::kInt, "8", "threads that handle the agent's requests", 2, 256},
           {"memory-budget", Kind::kBytes, "0",
            "memory limit of request bodies with their copies and of unsent answers; more requests "
            "get 503. 0: 40 percent of the container's memory limit",
            0, int64_t{1} << 36},
           telemetry::EndpointSetting(),
           telemetry::ModuleSetting(),
           {"log-level", Kind::kString, "info", "debug, info, warn or error"},
       },
       "Example:\n  agent-memory-sidecar --policy policy.json --data-dir state --listen "
       "127.0.0.1:0 "
       "--admin 127.0.0.1:0\n"
       "Also: agent-memory-sidecar check --help (what would a policy do?), agent-memory-sidecar "
       "mcp "
       "--help (tools over a pipe), agent-memory-sidecar await --help (is it ready?)\n"});
  return program;
}

SidecarSettings ReadSidecarSettings(const base::Settings& settings) {
  SidecarSettings read;
  read.listen = settings.Text("listen");
  read.admin = settings.Text("admin");
  read.policy = settings.Text("policy");
  read.data_directory = settings.Text("data-dir");
  read.token_file = settings.Text("token-file");
  read.lock_wait_ms = settings.Milliseconds("lock-wait");
  read.allowed_origins = settings.List("allowed-origins");
  read.erase = settings.Bool("erase");
  read.recall_timeout_ms = settings.Milliseconds("recall-timeout");
  read.policy_interval_ms = settings.Milliseconds("policy-interval");
  read.retry_longest_ms = settings.Milliseconds("retry-longest");
  read.drain_timeout_ms = settings.Milliseconds("drain-timeout");
  read.session_idle_ms = settings.Milliseconds("session-idle");
  read.growth.answers_ms = settings.Milliseconds("answers-keep");
  read.conversation_ttl_ms = settings.Milliseconds("conversation-ttl");
  read.growth.conversations_ms = settings.Milliseconds("conversation-keep");
  read.growth.injections_ms = settings.Milliseconds("injections-keep");
  read.growth.audit_ms = settings.Milliseconds("audit-keep");
  read.growth.max_bytes = settings.Bytes("max-state");
  read.checkpoints_kept = settings.Int("checkpoints");
  read.outbox.rows = settings.Int("outbox-rows");
  read.outbox.bytes = settings.Bytes("outbox-bytes");
  read.workers = static_cast<size_t>(settings.Int("workers"));
  read.memory_budget = settings.Bytes("memory-budget");
  read.traces = telemetry::ReadTraceOptions(settings, "agent-memory-sidecar", base::Environment());
  return read;
}

base::Status CheckSidecarSettings(const SidecarSettings& settings) {
  RETURN_IF_ERROR(telemetry::CheckTraceOptions(settings.traces));
  for (const auto& [name, value] :
       {std::pair("listen", &settings.listen), {"admin", &settings.admin}})
    if (auto address = http::ParseAddress(*value); !address)
      return base::Wrap(name, address.error());
  if (http::IsLoopbackAddress(settings.listen)) return {};
  return base::Error{base::Code::kInvalid, "listen: " + settings.listen +
                                               " is reachable from other hosts, and every caller "
                                               "counts as the agent; use 127.0.0.1:7437"};
}

}  // namespace sidecar
