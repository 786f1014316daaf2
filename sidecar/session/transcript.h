// What the server is told of a session: its transcript, cut to a bounded size, and its digest. A
// session's messages are those of its conversation behind the point where it began, so that a
// successor does not tell its predecessor's story again.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lib/api/memory_api.h"
#include "lib/api/policy.h"
#include "lib/base/json/json.h"
#include "lib/base/result.h"
#include "lib/conversation/conversations.h"
#include "sidecar/session/digest.h"
#include "sidecar/state/state.h"

namespace sidecar {

class Redactor;

// Made message by message, in memory of bounded size; without secrets, even where working memory
// keeps them. It costs processor time for each message, so it is made outside of the writer's
// transaction, which only adds what came in between (PrepareAccount, CompleteAccount).
class SessionAccount {
 public:
  static base::Result<SessionAccount> Begin(const std::string& session, int64_t after,
                                            const api::Policy& policy);
  // The heads of messages behind told(), in order, which go up to number `up_to`.
  void Add(const std::vector<conversation::Message>& heads, int64_t up_to);

  const std::string& session() const { return session_; }
  int64_t told() const { return told_; }  // the number of the last message that is in it
  bool SaidNothing() const { return said_.empty(); }
  // The body of the session's end: {"messages", "omitted"?}. What was said: an assistant message
  // that only calls tools says nothing, and a tool's result is no message of the talk (rulings K3).
  // The summary needs the number of messages and the first and last of the user: the middle of a
  // long transcript is cut short, and beyond kMostSaid it is only counted, so that one session is
  // one write of bounded size.
  base::Json EndBody() const;
  // What was done; empty where the policy has no digests.
  const SessionDigest& digest() const { return digest_; }

  static constexpr size_t kMostSaid = 2'000;

 private:
  void Say(const std::string& role, const std::string& text);
  void ShortenMiddle();

  std::string session_;
  int64_t told_ = 0;
  bool digests_ = false;
  std::shared_ptr<const Redactor> redactor_;  // null: the policy redacts nothing
  std::vector<api::SummaryMessage> said_;
  size_t first_user_ = SIZE_MAX, last_user_ = SIZE_MAX;  // places in said_
  int64_t omitted_ = 0;
  SessionDigest digest_;
};

// Adds what of the conversation's messages is not in it yet. Within the caller's transaction.
base::Status CompleteAccount(sqlite::Database& db, const conversation::Conversation& conversation,
                             SessionAccount& account);
// The account of what is committed of an open conversation, made in short reads so that neither the
// writer nor the reader is held. Null: nothing is to be told (no open session, autoSummarize off).
base::Result<std::unique_ptr<SessionAccount>> PrepareAccount(State& state, const std::string& id,
                                                             const api::Policy& policy);

}  // namespace sidecar
