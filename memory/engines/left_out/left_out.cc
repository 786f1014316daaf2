// What a build without PostgreSQL says.
#include "memory/sqlite/engine/postgres_option.h"

namespace memory {

base::Result<std::unique_ptr<Engine>> StartPostgres(PostgresOptions, telemetry::Metrics&) {
  return base::Error{base::Code::kInvalid,
                     "store: this build has no PostgreSQL (CMake option AGENT_MEMORY_POSTGRES); "
                     "use the image of the release, or --store sqlite"};
}

}  // namespace memory
