// What state.db keeps of policies. Every call runs inside the caller's transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/sqlite/database.h"

namespace sidecar {

// The last good policy file, kept for the next start.
extern const char* const kKeptPolicySchema;

base::Status KeepPolicy(sqlite::Database& db, const std::string& file, int64_t now_ms);
base::Result<std::optional<std::string>> KeptPolicy(sqlite::Database& db);

// The retention rules that were sent to memory servers, by project and server: a later process can
// withdraw rules of a policy that it never saw.
extern const char* const kRetentionStep;  // a migration

struct PublishedRetention {
  std::string project, destination, rules;  // rules: the JSON list; destination: a base URL
};
base::Result<std::vector<PublishedRetention>> ReadPublishedRetention(sqlite::Database& db);
// Empty rules: withdrawn.
base::Status SavePublishedRetention(sqlite::Database& db, const PublishedRetention& published);

}  // namespace sidecar
