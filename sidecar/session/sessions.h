// Begins and ends the memory session that a conversation writes to. Runs inside the caller's
// transaction; writes to the server go through the outbox.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/conversation/conversation.h"
#include "sidecar/outbox/outbox_context.h"
#include "sidecar/session/transcript.h"

namespace sidecar {

// The digest of a session as an observation; nullopt: the session has no digest.
std::optional<api::NewObservation> DigestOf(const SessionAccount& account,
                                            const api::Policy& policy);

// The conversation, open and with a memory session. The first use begins a session; after an ended
// one, a successor that names its predecessor.
base::Result<conversation::Conversation> OpenConversation(sqlite::Database& db,
                                                          const std::string& id,
                                                          const OutboxContext& context);

// Ends the conversation and its memory session, with the transcript unless autoSummarize is off.
// No effect on an unknown or ended conversation. `account`: of PrepareAccount, so that the
// transaction reads only later messages; null: the transaction reads the whole session.
base::Status EndConversation(sqlite::Database& db, const std::string& id,
                             const OutboxContext& context, const SessionAccount* account = nullptr);

// Ends a conversation that was not used for `idle_ms`. → whether it was ended now.
base::Result<bool> EndIfIdle(sqlite::Database& db, const std::string& id, int64_t idle_ms,
                             const OutboxContext& context, const SessionAccount* account = nullptr);

// Whether the conversation's open session has messages that no interim summary covers.
base::Result<bool> HasNewMessages(sqlite::Database& db, const std::string& id);
// Enqueues the summary so far of an open session with new messages; the session stays open.
// → whether a summary was enqueued.
base::Result<bool> EnqueueInterimSummary(sqlite::Database& db, const std::string& id,
                                         const OutboxContext& context,
                                         const SessionAccount* account = nullptr);

}  // namespace sidecar
