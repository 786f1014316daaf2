// Events of agents that were answered, in state.db: one that comes again is answered as before and
// does nothing else. Every call runs inside the caller's transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lib/base/result.h"
#include "lib/sqlite/database.h"

namespace sidecar {

extern const char* const kAnsweredEventsSchema;

// The answer to the event of this key; nullopt: it is new.
base::Result<std::optional<std::string>> AnswerGiven(sqlite::Database& db,
                                                     const std::string& conversation,
                                                     const std::string& event_key);
base::Status RecordAnswer(sqlite::Database& db, const std::string& conversation,
                          const std::string& event_key, const std::string& answer, int64_t now_ms);

}  // namespace sidecar
