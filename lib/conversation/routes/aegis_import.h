// Imports hashes of aegis_export.h, or of an AEGIS memory service in Redis, in any order, except
// that a TTL follows its fields.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_set>
#include <vector>

#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/conversation/routes/host.h"

namespace conversation {

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
  base::Result<Outcomes> Take(const std::vector<AegisHash>& hashes);

 private:
  base::Result<bool> TakeFields(sqlite::Database& db, const std::string& id,
                                const base::Json& hash);
  base::Result<bool> TakeLife(sqlite::Database& db, const std::string& id, const base::Json& life);
  base::Result<bool> TakeMarks(sqlite::Database& db, const std::string& id, const base::Json& hash);
  base::Result<bool> TakeOne(sqlite::Database& db, const AegisHash& given);

  Host& host_;
  std::unordered_set<size_t> made_;  // hashes of conversation ids, at most kMaxFieldConversations
};

}  // namespace conversation
