// The environment variables of an AEGIS memory service, as its deployments set them. Pure.
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
  std::string warning;  // names what is set and not used, as REDIS_URL; empty: nothing
};

// `environment` is a list like environ. What Kubernetes sets for a Service called memory
// (MEMORY_PORT=tcp://…) is not ours and left out. kInvalid: an unusable value, by its name.
base::Result<AegisEnvironment> ReadAegisEnvironment(const std::vector<std::string>& environment);
// The address to listen on: what is set of host and port, the rest by default; empty: neither is.
std::string AegisAddress(const AegisEnvironment& environment, const std::string& default_host);

}  // namespace memory
