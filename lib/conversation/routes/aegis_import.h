// Takes in what aegis_export.h wrote, or an AEGIS memory service kept in Redis: one hash after the
// other, in any order.
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

// Into the conversations of the host's caller. Fields and marks that are there stay as they are.
// One thread; `host` outlives it.
class AegisImport {
 public:
  explicit AegisImport(Host& host) : host_(host) {}

  // In one commit. → of each: whether anything of it was new here; kInvalid: no such hash;
  // kTooLarge: a limit of a conversation, and nothing of it was taken. A life is taken for fields
  // that this import has made. kFull: nothing of all was taken.
  using Outcomes = std::vector<base::Result<bool>>;
  base::Result<Outcomes> Take(const std::vector<AegisHash>& hashes);

 private:
  base::Result<bool> TakeFields(sqlite::Database& db, const std::string& id,
                                const base::Json& hash);
  base::Result<bool> TakeLife(sqlite::Database& db, const std::string& id, const base::Json& life);
  base::Result<bool> TakeMarks(sqlite::Database& db, const std::string& id, const base::Json& hash);
  base::Result<bool> TakeOne(sqlite::Database& db, const AegisHash& given);

  Host& host_;
  std::unordered_set<size_t> made_;  // digests of conversations, kMaxFieldConversations at most
};

}  // namespace conversation
