// The account of a session for the server: its transcript, cut to a bounded size, and its digest.
// It begins after the last message of the predecessor.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lib/api/memory_api.h"
#include "lib/api/policy.h"
#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/conversation/conversation.h"
#include "lib/conversation/message.h"
#include "sidecar/session/digest.h"
#include "sidecar/state/state.h"

namespace redaction {
class Redactor;
}  // namespace redaction

namespace sidecar {

// Reads message by message in bounded memory, and redacts even where working memory keeps secrets.
// Each message costs processor time: PrepareAccount reads outside of the writer's transaction, and
// CompleteAccount adds later messages inside it.
class SessionAccount {
 public:
  static base::Result<SessionAccount> Begin(const std::string& session, int64_t after,
                                            const api::Policy& policy);
  // Adds the heads of the messages from last_sequence() + 1 to `up_to`, in order.
  void Add(const std::vector<conversation::Message>& heads, int64_t up_to);

  const std::string& session() const { return session_; }
  int64_t last_sequence() const { return last_sequence_; }  // of the last added message
  bool empty() const { return messages_.empty(); }          // no text of user or assistant
  // The body of the session's end: {"messages", "omitted"?}. Only user and assistant text counts;
  // tool calls and results are excluded. The middle of a long transcript is shortened, and messages
  // beyond kMostMessages are only counted, so that one session is one write of bounded size.
  base::Json EndBody() const;
  // Empty if the policy has no digests.
  const SessionDigest& digest() const { return digest_; }

  static constexpr size_t kMostMessages = 2'000;

 private:
  void AddText(const std::string& role, const std::string& text);
  void ShortenMiddle();

  std::string session_;
  int64_t last_sequence_ = 0;
  bool digests_ = false;
  std::shared_ptr<const redaction::Redactor> redactor_;  // null: the policy redacts nothing
  std::vector<api::SummaryMessage> messages_;
  size_t first_user_ = SIZE_MAX, last_user_ = SIZE_MAX;  // places in messages_
  int64_t omitted_ = 0;
  SessionDigest digest_;
};

// Adds the messages after last_sequence(). Inside the caller's transaction.
base::Status CompleteAccount(sqlite::Database& db, const conversation::Conversation& conversation,
                             SessionAccount& account);
// The account of the committed messages of an open conversation, built in short reads that block
// neither writer nor reader. Null: no account is needed (no open session, autoSummarize off).
base::Result<std::unique_ptr<SessionAccount>> PrepareAccount(State& state, const std::string& id,
                                                             const api::Policy& policy);

}  // namespace sidecar
