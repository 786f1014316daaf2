// Half an address ends the start: a server that chose SQLite instead would answer from an empty
// store and keep what is lost with its disk.
#include "memory/engine_settings.h"

namespace memory {

using base::Code;
using base::Error;
using base::Setting;
using base::Status;

std::vector<Setting> EngineFlags() {
  using Kind = Setting::Kind;
  return {
      {"store", Kind::kString, "sqlite",
       "what keeps the memories: sqlite (files in data-dir, one process) or postgres (a database "
       "that several replicas share; data-dir has only uploads and copies under way)"},
      {"dsn-file", Kind::kString, "",
       "file with the address of PostgreSQL, a libpq URI or key=value text, with --store postgres; "
       "read again when it changes. Off loopback the server's certificate is verified "
       "(sslmode=verify-full)"},
      {"require-sync", Kind::kBool, "false",
       "acknowledge only what a synchronous standby has, with --store postgres: without one, "
       "writes get 503 and the server is not ready"},
      {"store-connections", Kind::kInt, "16",
       "limit of connections to PostgreSQL of this process, with --store postgres", 2, 1000},
  };
}

EngineSettings ReadEngineSettings(const base::Settings& settings) {
  return {settings.Text("store"), settings.Text("dsn-file"), settings.Bool("require-sync"),
          static_cast<size_t>(settings.Int("store-connections"))};
}

Status CheckEngineSettings(const EngineSettings& settings) {
  if (settings.OnPostgres()) {
    if (!settings.dsn_file.empty()) return {};
    return Error{Code::kInvalid,
                 "dsn-file: --store postgres needs the file with the address of the database"};
  }
  if (settings.store != "sqlite")
    return Error{Code::kInvalid,
                 "store: \"" + settings.store + "\" is neither sqlite nor postgres"};
  if (!settings.dsn_file.empty())
    return Error{Code::kInvalid,
                 "dsn-file has no effect with --store sqlite; add --store postgres, or leave it "
                 "out"};
  if (settings.require_sync)
    return Error{Code::kInvalid,
                 "require-sync has no effect with --store sqlite, which has no standby; add "
                 "--store postgres, or leave it out"};
  return {};
}

}  // namespace memory
