// The account of a session for the server: its transcript, cut to a bounded size, and its digest.
// The account begins after the last message of the predecessor.
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

// Made message by message in bounded memory, redacted even where working memory keeps secrets. Each
// message costs processor time, so PrepareAccount works outside of the writer's transaction and
// CompleteAccount adds later messages.
class SessionAccount {
 public:
  static base::Result<SessionAccount> Begin(const std::string& session, int64_t after,
                                            const api::Policy& policy);
  // Adds the heads of the messages from told() + 1 to `up_to`, in order.
  void Add(const std::vector<conversation::Message>& heads, int64_t up_to);

  const std::string& session() const { return session_; }
  int64_t told() const { return told_; }  // number of the last added message
  bool SaidNothing() const { return said_.empty(); }
  // The body of the session's end: {"messages", "omitted"?}. Only user and assistant text counts;
  // tool calls and results are excluded. The middle of a long transcript is shortened, and messages
  // beyond kMaxSaid are only counted, so that one session is one write of bounded size.
  base::Json EndBody() const;
  // Empty if the policy has no digests.
  const SessionDigest& digest() const { return digest_; }

  static constexpr size_t kMaxSaid = 2'000;

 private:
  void Say(const std::string& role, const std::string& text);
  void ShortenMiddle();

  std::string session_;
  int64_t told_ = 0;
  bool digests_ = false;
  std::shared_ptr<const redaction::Redactor> redactor_;  // null: the policy redacts nothing
  std::vector<api::SummaryMessage> said_;
  size_t first_user_ = SIZE_MAX, last_user_ = SIZE_MAX;  // places in said_
  int64_t omitted_ = 0;
  SessionDigest digest_;
};

// Adds the messages after told(). Within the caller's transaction.
base::Status CompleteAccount(sqlite::Database& db, const conversation::Conversation& conversation,
                             SessionAccount& account);
// The account of the committed messages of an open conversation, made in short reads that hold up
// neither writer nor reader. Null: no account is needed (no open session, autoSummarize off).
base::Result<std::unique_ptr<SessionAccount>> PrepareAccount(State& state, const std::string& id,
                                                             const api::Policy& policy);

}  // namespace sidecar
