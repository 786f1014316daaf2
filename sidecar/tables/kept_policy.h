// The last good policy file, kept in state.db for the next start. Every call runs inside the
// caller's transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lib/base/result.h"
#include "lib/sqlite/database.h"

namespace sidecar {

extern const char* const kKeptPolicySchema;

base::Status KeepPolicy(sqlite::Database& db, const std::string& file, int64_t now_ms);
base::Result<std::optional<std::string>> KeptPolicy(sqlite::Database& db);

}  // namespace sidecar
