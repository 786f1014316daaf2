// What an import does to the fields of conversations beside writing them.
#pragma once

#include <cstdint>
#include <string>

#include "lib/base/result.h"
#include "lib/sqlite/database.h"

namespace conversation {

// Another life of a conversation's fields, 0: the default `ttl_ms`; until a read or a write.
base::Status SetLife(sqlite::Database& db, const std::string& conversation, int64_t ttl_ms,
                     int64_t expires_ms);

}  // namespace conversation
