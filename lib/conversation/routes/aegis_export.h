// Exports fields and ledgers as the Redis hashes of an AEGIS memory service. aegis_import.h is the
// reverse.
#pragma once

#include <functional>
#include <string>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/conversation/routes/host.h"

namespace conversation {

inline constexpr const char* kFieldsKey = "working_memory:";
inline constexpr const char* kFieldsLifeKey = "working_memory_ttl:";  // in Redis a TTL of the key
inline constexpr const char* kLedgerKey = "skill:ledger:";

// Calls `on_hash` with `working_memory:{id}` (a field → its value as JSON text),
// `working_memory_ttl:{id}` ({"ttl_seconds": an own TTL, "expires_at"}) and `skill:ledger:{id}` (an
// item → its value) of each conversation of the host's caller. Reads each page in its own
// transaction, so that a slow export does not hold the WAL.
using OnHash = std::function<base::Status(const std::string& key, const base::Json& hash)>;
base::Status WalkAegisHashes(Host& host, const OnHash& on_hash);

}  // namespace conversation
