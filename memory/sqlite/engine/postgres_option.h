// The engine over PostgreSQL, which a build may leave out (the CMake option AGENT_MEMORY_POSTGRES):
// memory/engines/postgres defines the call, or memory/engines/left_out.
#pragma once

#include <memory>
#include <string>

#include "lib/telemetry/metrics.h"
#include "memory/sqlite/store/options.h"
#include "memory/store/engine.h"

namespace memory {

struct PostgresOptions {
  std::string dsn_file;  // lib/postgres/dsn.h
  std::string spools;    // a directory for uploads and copies
  // Nothing is acknowledged that a synchronous standby does not have.
  bool require_sync = false;
  size_t connections = 16;
  size_t open_tenants = 256;
  StoreOptions store;  // its clock is the engine's
};

// kInvalid: the build has no such engine; the address is given by half or wrong; or a newer program
// made the schema. A server that is away is no error: calls are kUnavailable until it is there.
base::Result<std::unique_ptr<Engine>> StartPostgres(PostgresOptions options,
                                                    telemetry::Metrics& metrics);

}  // namespace memory
