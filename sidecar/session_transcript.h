// What the server is told of a session: its transcript, cut to a bounded size, and its digest. A
// session's messages are those of its conversation behind the point where it began, so that a
// successor does not tell its predecessor's story again.
#pragma once

#include <vector>

#include "lib/api/memory_api.h"
#include "lib/api/policy.h"
#include "lib/base/json.h"
#include "lib/base/result.h"
#include "lib/conversation/conversations.h"
#include "sidecar/session_digest.h"

namespace sidecar {

// What was said: an assistant message that only calls tools says nothing, and a tool's result is no
// message of the talk (rulings K3). Without secrets, even where working memory keeps them.
base::Result<std::vector<api::SummaryMessage>> Transcript(
    sqlite::Database& db, const conversation::Conversation& conversation,
    const api::Policy& policy);

// The summary needs the number of messages and the first and last of the user: the middle of a long
// transcript is cut short, so that one session stays one write of bounded size. Pure.
base::Json ShortTranscript(const std::vector<api::SummaryMessage>& said);

// What was done. Reads a message at a time. Without secrets.
base::Result<SessionDigest> DigestOf(sqlite::Database& db,
                                     const conversation::Conversation& conversation,
                                     const api::Policy& policy);

}  // namespace sidecar
