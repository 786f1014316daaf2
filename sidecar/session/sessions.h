// Memory sessions: which session on the server a conversation writes to, when it begins and how it
// ends (rulings K29). Runs inside the caller's transaction; what the server is told goes through
// the outbox.
#pragma once

#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/conversation/conversations.h"
#include "sidecar/outbox/outbox_context.h"
#include "sidecar/session/transcript.h"

namespace sidecar {

// The conversation, open and with a memory session: one is begun on the first use and, when the
// last one was ended, a successor that names it.
base::Result<conversation::Conversation> OpenConversation(sqlite::Database& db,
                                                          const std::string& id,
                                                          const OutboxContext& context);

// Ends the conversation and its memory session, with the transcript unless autoSummarize is off.
// Nothing happens when it is unknown or ended already. `account`: PrepareAccount's, so that the
// transaction reads only what came behind it; null: it reads the whole session.
base::Status EndConversation(sqlite::Database& db, const std::string& id,
                             const OutboxContext& context, const SessionAccount* account = nullptr);

// The same when it was not used for `idle_ms` (rulings K29). → whether it was ended now.
base::Result<bool> EndIfIdle(sqlite::Database& db, const std::string& id, int64_t idle_ms,
                             const OutboxContext& context, const SessionAccount* account = nullptr);

// Tells the server the summary so far of an open session, if it has new messages; it stays open
// (rulings K29). → whether it was told.
base::Result<bool> HasNewMessages(sqlite::Database& db, const std::string& id);
base::Result<bool> EnqueueInterimSummary(sqlite::Database& db, const std::string& id,
                                         const OutboxContext& context,
                                         const SessionAccount* account = nullptr);

}  // namespace sidecar
