// What a build without PostgreSQL says.
#include "memory/sqlite/engine/postgres_option.h"
#include "memory/sqlite/moving/shared_database.h"

namespace memory {

namespace {

base::Error LeftOut(const char* setting, const char* instead) {
  return {base::Code::kInvalid,
          std::string(setting) +
              ": this build has no PostgreSQL (CMake option AGENT_MEMORY_POSTGRES); use the image "
              "of the release" +
              instead};
}

}  // namespace

base::Result<std::unique_ptr<Engine>> StartPostgres(PostgresOptions, telemetry::Metrics&) {
  return LeftOut("store", ", or --store sqlite");
}

base::Result<std::unique_ptr<SharedDatabase>> OpenSharedDatabase(const std::string&) {
  return LeftOut("migrate", "");
}

}  // namespace memory
