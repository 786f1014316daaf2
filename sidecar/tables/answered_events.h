// Answered hook events in state.db, for deduplication: a repeated event gets the same answer and
// has no other effect. Every call runs inside the caller's transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lib/base/result.h"
#include "lib/sqlite/database.h"

namespace sidecar {

extern const char* const kAnsweredEventsSchema;

// The stored answer to the event with this key; nullopt: the event is new.
base::Result<std::optional<std::string>> FindAnswer(sqlite::Database& db,
                                                    const std::string& conversation,
                                                    const std::string& event_key);
base::Status SaveAnswer(sqlite::Database& db, const std::string& conversation,
                        const std::string& event_key, const std::string& answer, int64_t now_ms);

}  // namespace sidecar
