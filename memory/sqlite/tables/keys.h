// Idempotency-Keys with the answers that they had, and digests by which a file knows a text again
// without keeping it. Everything runs in the caller's transaction.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/sqlite/database.h"
#include "memory/store/writes.h"

namespace memory {

base::Result<std::string> SaltOf(sqlite::Database& database);  // random, of the file
// Tells these texts, in this order, from all others, to whoever has the salt.
int64_t SaltedDigest(std::string salt, const std::vector<std::string_view>& parts);

// A key as the table has it.
struct KeyOfCaller {
  KeyOfCaller(const RequestKey& key, const api::NewObservation& body, const std::string& salt);
  std::string plain;   // what the caller sent
  std::string own;     // with the caller, who is no part of the keys of earlier versions
  int64_t digest = 0;  // of each field of the body: of what it means, not of how it is written
};

// The answer that the key had, unless it was before `oldest_ms`, whether it still lies there or
// not; key_reused when the body was another one.
base::Result<std::optional<Saved>> FindAnswer(sqlite::Database& database, const KeyOfCaller& key,
                                              int64_t oldest_ms);
// Keeps the answer for a repeated call, and drops a few that are too old.
base::Status KeepAnswer(sqlite::Database& database, const KeyOfCaller& key, const Saved& saved,
                        int64_t now_ms, int64_t kept_ms);

}  // namespace memory
