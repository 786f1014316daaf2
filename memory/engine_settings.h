// Flags of the store: which engine keeps the memories, and where.
#pragma once

#include <string>
#include <vector>

#include "lib/base/process/config.h"

namespace memory {

struct EngineSettings {
  std::string store = "sqlite";  // or postgres
  std::string dsn_file;
  bool require_sync = false;
  size_t connections = 16;
  bool OnPostgres() const { return store == "postgres"; }
};

std::vector<base::Setting> EngineFlags();
EngineSettings ReadEngineSettings(const base::Settings& settings);
// kInvalid: half of what an engine needs, or what belongs to the other one. Nothing falls back to
// the other engine.
base::Status CheckEngineSettings(const EngineSettings& settings);

}  // namespace memory
