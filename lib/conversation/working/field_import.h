// Sets the TTL of imported fields.
#pragma once

#include <cstdint>
#include <string>

#include "lib/base/result.h"
#include "lib/sqlite/database.h"

namespace conversation {

// Sets the TTL of a conversation's fields (`ttl_ms` 0: the default) and their expiry, which the
// next read or write renews.
base::Status SetLife(sqlite::Database& db, const std::string& conversation, int64_t ttl_ms,
                     int64_t expires_ms);

}  // namespace conversation
