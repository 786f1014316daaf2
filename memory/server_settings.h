// The settings of agent-memory-server: flags, defaults and joint constraints. Pure.
#pragma once

#include "lib/base/process/config.h"
#include "lib/base/result.h"
#include "lib/telemetry/trace_export.h"
#include "memory/aegis_settings.h"
#include "memory/api/write_budgets.h"
#include "memory/embedders.h"
#include "memory/engine_settings.h"
#include "memory/extractors.h"
#include "memory/retention_settings.h"
#include "memory/sqlite/store/options.h"

namespace memory {

struct ServerSettings {
  std::string listen = "127.0.0.1:0", admin = "127.0.0.1:0";
  std::string aegis_listen;  // address that serves only the AEGIS routes; empty: none
  base::Result<AegisEnvironment> aegis = AegisEnvironment();
  std::string data_dir;
  EngineSettings engine;
  std::string auth = "none";  // or kubernetes
  bool insecure = false;      // auth none off loopback
  bool ui = true;             // the web console under /ui/
  // With auth none: further accepted Host names and origins.
  std::vector<std::string> hosts, allowed_origins;
  std::string share_file;  // grants of shared memory; empty: none
  // With auth kubernetes.
  std::vector<std::string> audiences;
  std::string anonymous_namespace, anonymous_role = "reader";
  std::string kubeconfig;  // empty: the pod's own ServiceAccount
  size_t open_tenants = 256;
  size_t workers = 32, queue = 256;
  size_t max_stream_bytes = size_t{2} << 30;
  int64_t cache_memory = 0;   // of the page caches; 0: a share of the memory limit
  int64_t memory_budget = 0;  // of bodies and answers; 0: a share of the memory limit
  int64_t ballast_bytes = 8 << 20;
  int64_t min_free_bytes = 8 << 20;  // below it the server is not ready
  int64_t lock_wait_ms = 45'000;
  int64_t drain_ms = 10'000;
  int64_t check_every_ms = 24 * 3'600'000LL;  // for corruption; 0: only after a report
  WriteBudgets::Limits budgets;               // of writes; quotas of rows and bytes are in `store`
  EmbeddingSettings embeddings;
  ExtractionSettings extraction;
  RetentionSettings retention;
  StoreOptions store;
  telemetry::TraceOptions traces;
};

const base::Program& ServerProgram();
ServerSettings ReadServerSettings(const base::Settings& settings);
// kInvalid: settings that contradict each other, with the remedy.
base::Status CheckServerSettings(const ServerSettings& settings);

}  // namespace memory
