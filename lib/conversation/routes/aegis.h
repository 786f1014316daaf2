// Exports fields and ledgers as the Redis hashes of an AEGIS memory service, and imports such
// hashes, ours or those of a service in Redis, in any order, except that a TTL follows its fields.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/conversation/routes/host.h"

namespace conversation {

// Calls `on_hash` with `working_memory:{id}` (a field → its value as JSON text),
// `working_memory_ttl:{id}` ({"ttl_seconds": an own TTL, "expires_at"}) and `skill:ledger:{id}` (an
// item → its value) of each conversation of the host's caller. Reads each page in its own
// transaction, so that a slow export does not hold the WAL.
using OnHash = std::function<base::Status(const std::string& key, const base::Json& hash)>;
base::Status WalkAegisHashes(Host& host, const OnHash& on_hash);

// `working_memory:{id}`, `working_memory_ttl:{id}` or `skill:ledger:{id}`.
struct AegisHash {
  std::string key;
  base::Json hash;
};

// Imports into the conversations of the host's caller. Existing fields and marks stay unchanged.
// One thread; `host` outlives this.
class AegisImport {
 public:
  explicit AegisImport(Host& host) : host_(host) {}

  // In one commit. → per hash: whether it added anything; kInvalid: no such hash; kTooLarge: a
  // limit of a conversation, and the hash added nothing. A TTL applies only to fields that this
  // import created. kFull: no hash was imported.
  using Outcomes = std::vector<base::Result<bool>>;
  base::Result<Outcomes> Import(const std::vector<AegisHash>& hashes);

 private:
  base::Result<bool> ImportFields(Rows& rows, const std::string& id, const base::Json& hash);
  base::Result<bool> ImportTtl(Rows& rows, const std::string& id, const base::Json& life);
  base::Result<bool> ImportEntries(Rows& rows, const std::string& id, const base::Json& hash);
  base::Result<bool> ImportOne(Rows& rows, const AegisHash& given);

  Host& host_;
  std::unordered_set<size_t> made_;  // hashes of conversation ids, at most kMaxFieldConversations
};

}  // namespace conversation
