// Reads the environment variables of an AEGIS memory service. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/result.h"

namespace memory {

struct AegisEnvironment {
  std::optional<std::string> host, port;                   // MEMORY_HOST, MEMORY_PORT
  std::optional<int64_t> working_memory_ttl_ms;            // WORKING_MEMORY_TTL, in seconds there
  std::optional<std::string> openai_key, embedding_model;  // OPENAI_API_KEY, EMBEDDING_MODEL
  std::string warning;  // names ignored variables such as REDIS_URL; empty: none
};

// `environment` is a list like environ. Ignores variables that Kubernetes sets for a Service called
// memory (MEMORY_PORT=tcp://…). kInvalid: an unusable value, by its name.
base::Result<AegisEnvironment> ReadAegisEnvironment(const std::vector<std::string>& environment);
// The address to listen on, with defaults for a missing host or port; empty: neither is set.
std::string AegisAddress(const AegisEnvironment& environment, const std::string& default_host);

}  // namespace memory
