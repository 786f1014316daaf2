// Which source the vectors of rows and questions come from, by the settings.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lib/base/process/config.h"
#include "memory/aegis_settings.h"
#include "memory/endpoint/endpoint_embedder.h"
#include "memory/store/embedder.h"

namespace memory {

struct EmbeddingSettings {
  bool on = false;
  EndpointOptions endpoint;
  std::string table;  // a file; empty: the one that is installed beside the program, if it is there
};

std::vector<base::Setting> EmbeddingFlags();
// A flag goes over what an AEGIS deployment has in its environment.
EmbeddingSettings ReadEmbeddingSettings(const base::Settings& settings,
                                        const AegisEnvironment& aegis);

// Null: rows are found by words alone. A table that cannot be used is logged and no error: the
// memory works without it.
std::shared_ptr<const Embedder> MakeEmbedder(const EmbeddingSettings& settings);
// Null: no endpoint is set. kInvalid as EndpointEmbedder::Make; an endpoint that is away is no
// error.
base::Result<std::shared_ptr<RemoteEmbedder>> MakeRemoteEmbedder(const EmbeddingSettings& settings,
                                                                 const base::Clock& clock,
                                                                 telemetry::Metrics& metrics);

}  // namespace memory
