// Finds the memory of the commit that `git commit --amend` replaces, by the calls of the
// conversation.
#pragma once

#include <string>

#include "lib/base/result.h"
#include "lib/conversation/conversations.h"

namespace sidecar {

inline constexpr int64_t kCallsBeforeAnAmendment = 400;  // messages that are searched

// The topic key of the last commit that amended none, among the newest messages; empty: none.
// Further amendments get the same key. `conversation`: as it is in the running transaction.
base::Result<std::string> AmendedTopic(sqlite::Database& db,
                                       const conversation::Conversation& conversation);

}  // namespace sidecar
