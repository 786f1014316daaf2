// Creates the embedders of rows and queries from the settings.
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
  std::string table;  // a file; empty: the installed one beside the program, if any
};

std::vector<base::Setting> EmbeddingFlags();
// Flags override the environment of an AEGIS deployment.
EmbeddingSettings ReadEmbeddingSettings(const base::Settings& settings,
                                        const AegisEnvironment& aegis);

// Null: only words find rows. An unusable table is logged and is no error: the memory works without
// it.
std::shared_ptr<const Embedder> MakeEmbedder(const EmbeddingSettings& settings);
// Null: no endpoint is set. kInvalid as EndpointEmbedder::Make; an endpoint that is away is no
// error.
base::Result<std::shared_ptr<RemoteEmbedder>> MakeRemoteEmbedder(const EmbeddingSettings& settings,
                                                                 const base::Clock& clock,
                                                                 telemetry::Metrics& metrics);

}  // namespace memory
