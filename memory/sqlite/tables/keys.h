// Idempotency-Keys with their answers. Everything runs in the caller's transaction.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/sqlite/database.h"
#include "memory/rows/writes.h"

namespace memory {

base::Result<std::string> SaltOf(sqlite::Database& database);  // random, of the file

// A key in the form of the table.
struct KeyOfCaller {
  KeyOfCaller(const RequestKey& key, const api::NewObservation& body, const std::string& salt);
  std::string plain;   // as received
  std::string own;     // with the caller, which keys of earlier versions lack
  int64_t digest = 0;  // of the parsed fields of the body, so that formatting does not matter
};

// The stored answer of the key, unless it is older than `oldest_ms`; key_reused if the body
// differs.
base::Result<std::optional<Saved>> FindAnswer(sqlite::Database& database, const KeyOfCaller& key,
                                              int64_t oldest_ms);
// Stores the answer for a repeated call, and deletes a few expired ones.
base::Status KeepAnswer(sqlite::Database& database, const KeyOfCaller& key, const Saved& saved,
                        int64_t now_ms, int64_t kept_ms);

}  // namespace memory
