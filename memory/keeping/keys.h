// What a repeated call with an Idempotency-Key gets, for every engine. In the caller's transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "memory/rows/answers.h"

namespace memory {

// Prepared before the transaction.
struct KeyOfCaller {
  KeyOfCaller(const RequestKey& key, const api::NewObservation& body, const std::string& salt,
              int64_t kept_ms);
  std::string plain;    // as received; empty: none
  std::string own;      // with the caller, which keys of earlier versions lack
  int64_t digest = 0;   // of the parsed fields of the body, so that formatting does not matter
  int64_t kept_ms = 0;  // how long the answer is
};

// The answer that the key has; key_reused if the body differs. nullopt: none.
base::Result<std::optional<Saved>> FindAnswer(Answers& answers, const KeyOfCaller& key,
                                              int64_t now_ms);
// Keeps the answer for a repetition; the sweep removes old ones. Without a key: nothing.
base::Status KeepAnswer(Answers& answers, const KeyOfCaller& key, const Saved& saved,
                        int64_t now_ms);

}  // namespace memory
