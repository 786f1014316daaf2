// Shows when idle sessions end and what is evicted, with a fake clock: no undelivered write is
// lost, and a jump of the clock evicts nothing.
#include "sidecar/session/upkeep.h"

#include <gtest/gtest.h>

#include "lib/conversation/conversations.h"
#include "lib/conversation/sqlite/rows.h"
#include "lib/testing/fake_clock.h"
#include "lib/testing/temporary_directory.h"
#include "sidecar/growth/pruning.h"
#include "sidecar/session/sessions.h"
#include "sidecar/sidecar_fixture.h"
#include "sidecar/tables/answered_events.h"
#include "sidecar/tables/memory_sessions.h"

namespace sidecar {
namespace {

using base::Json;

constexpr int64_t kHourMs = 3'600'000, kSessionDayMs = 24 * kHourMs;

class Upkeep : public ::testing::Test {
 protected:
  void SetUp() override { Open({}); }
  void Open(const Json& policy, SessionUpkeep::Options options = {.session_idle_ms = kHourMs}) {
    upkeep_.reset();
    policies_.reset();
    state_.reset();
    directory_.Write("policy.json",
                     PolicyText("http://here:1", policy.is_null() ? Json::object() : policy));
    auto opened = State::Open(directory_.path(), [](const base::Error&) {});
    ASSERT_TRUE(opened) << opened.error().message;
    state_ = std::move(*opened);
    policies_ = std::make_unique<PolicyWatch>(directory_.path() + "/policy.json", *state_, clock_);
    policies_->Poll();
    ASSERT_TRUE(policies_->Current());
    upkeep_ = std::make_unique<SessionUpkeep>(*state_, *policies_, metrics_, clock_, options,
                                              [this] { ++wakes_; });
  }
  std::string Say(const std::string& id, const char* role, const std::string& content) {
    conversation::Message message;
    message.role = role;
    message.content = content;
    return *state_->Write<std::string>([&](sqlite::Database& db) -> base::Result<std::string> {
      conversation::SqliteRows rows(db);
      ASSIGN_OR_RETURN(const auto open, OpenConversation(db, id, Context()));
      RETURN_IF_ERROR(conversation::Append(rows, id, {message}, clock_.NowMs()));
      return open.memory_session_id;
    });
  }
  void End(const std::string& id) {
    ASSERT_TRUE(
        state_->Change([&](sqlite::Database& db) { return EndConversation(db, id, Context()); }));
  }
  OutboxContext Context() {
    static const OutboxLimits limits;
    return {policies_->Current()->policy, limits, clock_.NowMs()};
  }
  std::string StateOf(const std::string& id) {
    const auto found = *state_->Read(
        [&](sqlite::Database& db) { return conversation::SqliteRows(db).FindConversation(id); });
    return found ? found->state : "";
  }
  // The bodies of pending writes, by path.
  std::map<std::string, Json> Outbox() {
    std::map<std::string, Json> bodies;
    const auto heads =
        *state_->Read([](sqlite::Database& db) { return PendingRows(db, 0, 1'000); });
    for (const OutboxHead& head : heads) {
      const auto row =
          *state_->Read([&](sqlite::Database& db) { return LoadRow(db, head.sequence); });
      bodies[row->path] = *base::ParseJson(row->body);
    }
    return bodies;
  }
  void DeliverAll() {
    const auto heads =
        *state_->Read([](sqlite::Database& db) { return PendingRows(db, 0, 1'000); });
    for (const OutboxHead& head : heads) {
      ASSERT_TRUE(
          state_->Change([&](sqlite::Database& db) { return MarkDelivered(db, head.sequence); }));
    }
  }
  void Answer(const std::string& id, const std::string& event) {
    ASSERT_TRUE(state_->Change(
        [&](sqlite::Database& db) { return SaveAnswer(db, id, event, "{}", clock_.NowMs()); }));
  }
  bool Answered(const std::string& id, const std::string& event) {
    return state_->Read([&](sqlite::Database& db) { return FindAnswer(db, id, event); })
        ->has_value();
  }

  testing::TemporaryDirectory directory_;
  testing::FakeClock clock_;
  telemetry::Metrics metrics_;
  std::unique_ptr<State> state_;
  std::unique_ptr<PolicyWatch> policies_;
  std::unique_ptr<SessionUpkeep> upkeep_;
  int wakes_ = 0;
};

TEST_F(Upkeep, RoundRetriesFailedWork) {
  int rounds = 0;
  Open({}, {.each_round = [&] { ++rounds; }});
  upkeep_->RunOnce();
  upkeep_->RunOnce();
  EXPECT_EQ(rounds, 2);
}

TEST_F(Upkeep, IdleSessionEndsAndReuseOpensSuccessor) {
  const std::string session = Say("c", "user", "first words");
  for (int i = 0; i < 300; ++i) Say("c", "assistant", "answer " + std::to_string(i));
  Say("c", "user", "last words");
  Say("other", "user", "still at it");
  clock_.Advance(kHourMs - 1);
  Say("other", "user", "yes");
  EXPECT_EQ(upkeep_->RunOnce().ended, 0);
  clock_.Advance(1);
  EXPECT_EQ(upkeep_->RunOnce().ended, 1);
  EXPECT_EQ(upkeep_->RunOnce().ended, 0);
  EXPECT_EQ(wakes_, 1);
  EXPECT_EQ(StateOf("c"), "ended");
  EXPECT_EQ(StateOf("other"), "open");
  const Json messages = Outbox().at("/sessions/" + session + "/end")["messages"];
  ASSERT_EQ(messages.size(), 302u);
  EXPECT_EQ(messages.front()["content"], "first words");
  EXPECT_EQ(messages.back()["content"], "last words");
  const std::string successor = Say("c", "user", "back again");
  EXPECT_NE(successor, session);
  EXPECT_EQ(StateOf("c"), "open");
}

TEST_F(Upkeep, SummaryCoversWholeSessionAfterRestart) {
  const std::string session = Say("c", "user", "before");
  Open({});
  EXPECT_EQ(Say("c", "user", "after"), session);
  clock_.Advance(kHourMs);
  EXPECT_EQ(upkeep_->RunOnce().ended, 1);
  EXPECT_EQ(Outbox().at("/sessions/" + session + "/end")["messages"].size(), 2u);
}

TEST_F(Upkeep, AutoSummarizeOffEndsIdleSessionWithoutTranscript) {
  Open({{"memory", {{"autoSummarize", false}}}});
  const std::string session = Say("c", "user", "words");
  clock_.Advance(kHourMs);
  EXPECT_EQ(upkeep_->RunOnce().ended, 1);
  EXPECT_EQ(Outbox().at("/sessions/" + session + "/end")["messages"], Json::array());
}

TEST_F(Upkeep, FullOutboxKeepsSessionOpen) {
  Open({}, {.session_idle_ms = kHourMs, .outbox = {.rows = 1}});
  Say("c", "user", "words");
  Say("d", "user", "words");  // two pending rows: the beginnings of two sessions
  clock_.Advance(kHourMs);
  EXPECT_EQ(upkeep_->RunOnce().ended, 0);
  EXPECT_EQ(StateOf("c"), "open");
  DeliverAll();
  EXPECT_EQ(upkeep_->RunOnce().ended, 1);
  DeliverAll();
  EXPECT_EQ(upkeep_->RunOnce().ended, 1);
}

TEST_F(Upkeep, LastFreeRowGoesToEndNotDigest) {
  Open({{"memory", {{"sessionDigest", true}}}});
  const std::string session = Say("c", "user", "words");
  const OutboxLimits limits{.rows = 2};  // one is pending: the session's beginning
  ASSERT_TRUE(state_->Change([&](sqlite::Database& db) {
    return EndConversation(db, "c", {policies_->Current()->policy, limits, clock_.NowMs()});
  }));
  EXPECT_EQ(StateOf("c"), "ended");
  EXPECT_TRUE(Outbox().contains("/sessions/" + session + "/end"));
  EXPECT_FALSE(Outbox().contains("/observations"));
}

TEST_F(Upkeep, StopLeavesChecksumsForNextStart) {
  Say("c", "user", "words");
  const auto unsummed = [&] {
    return *state_->Write<int64_t>([](sqlite::Database& db) -> base::Result<int64_t> {
      return conversation::AddChecksums(db, 10);
    });
  };
  const auto forget = [](sqlite::Database& db) {
    return db.Execute("UPDATE messages SET checksum = NULL");
  };
  ASSERT_TRUE(state_->Change(forget));
  upkeep_->Stop();
  upkeep_->RunOnce();
  EXPECT_EQ(unsummed(), 1);
  ASSERT_TRUE(state_->Change(forget));
  Open({});
  upkeep_->RunOnce();
  EXPECT_EQ(unsummed(), 0);
}

TEST_F(Upkeep, ZeroAgesExpireNothing) {
  Open({}, {});
  Say("c", "user", "words");
  Answer("c", "e");
  clock_.Advance(400 * kSessionDayMs);
  upkeep_->RunOnce();
  clock_.Advance(400 * kSessionDayMs);
  const auto round = upkeep_->RunOnce();
  EXPECT_EQ(round.ended + round.answers + round.conversations, 0);
  EXPECT_EQ(StateOf("c"), "open");
  EXPECT_TRUE(Answered("c", "e"));
}

TEST_F(Upkeep, AnswersExpireByAge) {
  Open({}, {.growth = {.limits = {.answers_ms = kSessionDayMs}}});
  upkeep_->RunOnce();
  for (int i = 0; i < 1'200; ++i) Answer("c", "old" + std::to_string(i));
  clock_.Advance(kSessionDayMs);
  Answer("c", "new");
  EXPECT_EQ(upkeep_->RunOnce().answers, 0);  // kept for exactly a day
  clock_.Advance(1);
  EXPECT_EQ(upkeep_->RunOnce().answers, 1'200);
  EXPECT_FALSE(Answered("c", "old7"));
  EXPECT_TRUE(Answered("c", "new"));
}

TEST_F(Upkeep, OnlyEndedOldDeliveredConversationsAreDeleted) {
  Open({}, {.growth = {.limits = {.conversations_ms = kSessionDayMs}}});
  upkeep_->RunOnce();
  for (const char* id : {"gone", "open", "untold", "dead"}) Say(id, "user", "words");
  for (const char* id : {"gone", "untold", "dead"}) End(id);
  Answer("gone", "e");
  const auto heads = *state_->Read([](sqlite::Database& db) { return PendingRows(db, 0, 100); });
  for (const OutboxHead& head : heads) {
    const auto found =
        *state_->Read([&](sqlite::Database& db) { return FindMemorySession(db, head.lane); });
    if (found->conversation == "untold") continue;
    ASSERT_TRUE(state_->Change([&](sqlite::Database& db) {
      return found->conversation == "dead" ? MarkDead(db, head.sequence, "400", "no")
                                           : MarkDelivered(db, head.sequence);
    }));
  }
  clock_.Advance(kSessionDayMs - 1);
  EXPECT_EQ(upkeep_->RunOnce().conversations, 0);
  clock_.Advance(1);
  EXPECT_EQ(upkeep_->RunOnce().conversations, 1);
  EXPECT_EQ(StateOf("gone"), "");
  EXPECT_FALSE(Answered("gone", "e"));
  EXPECT_EQ(StateOf("open"), "open");
  EXPECT_EQ(StateOf("untold"), "ended");
  EXPECT_EQ(StateOf("dead"), "ended");
  DeliverAll();
  EXPECT_EQ(upkeep_->RunOnce().conversations, 1);
  EXPECT_EQ(StateOf("untold"), "");
  // The id can be used again, for a conversation that starts at its first message.
  Say("gone", "user", "again");
  EXPECT_EQ((*state_->Read([](sqlite::Database& db) {
              conversation::SqliteRows rows(db);
              return conversation::MessagesBetween(rows, "gone", 1, 9);
            })).messages.size(),
            1u);
}

TEST_F(Upkeep, LongConversationIsDeletedInSmallCommits) {
  Open({}, {.growth = {.limits = {.conversations_ms = kSessionDayMs}}});
  for (int i = 0; i < 25; ++i) Say("long", "user", "words");
  End("long");
  const int64_t later_ms = clock_.NowMs() + kSessionDayMs;
  const auto prune = [&] {
    return *state_->Write<int64_t>(
        [&](sqlite::Database& db) { return PruneRows(db, "long", later_ms, 10); });
  };
  EXPECT_EQ(prune(), 0) << "its end is not told yet";
  DeliverAll();
  EXPECT_EQ(prune(), 10);
  EXPECT_EQ(prune(), 10);
  EXPECT_EQ(prune(), 5);
  EXPECT_EQ(prune(), 0);
  upkeep_->RunOnce();
  clock_.Advance(kSessionDayMs);
  EXPECT_EQ(upkeep_->RunOnce().conversations, 1);
}

TEST_F(Upkeep, ClockJumpExpiresNothing) {
  const SessionUpkeep::Options options{
      .growth = {
          .limits = {.answers_ms = 3 * kSessionDayMs, .conversations_ms = 3 * kSessionDayMs}}};
  Open({}, options);
  Say("c", "user", "words");
  End("c");
  DeliverAll();
  Answer("c", "e");
  upkeep_->RunOnce();
  clock_.Jump(3'650 * kSessionDayMs);
  for (int i = 0; i < 60; ++i) {
    clock_.Advance(60'000);
    upkeep_->RunOnce();
  }
  clock_.Jump(-3'650 * kSessionDayMs - kHourMs);
  upkeep_->RunOnce();
  clock_.Jump(3'650 * kSessionDayMs);
  Open({}, options);  // a restart gains a day at most
  upkeep_->RunOnce();
  EXPECT_EQ(StateOf("c"), "ended");
  EXPECT_TRUE(Answered("c", "e"));
  clock_.Advance(3 * kSessionDayMs);
  upkeep_->RunOnce();
  EXPECT_EQ(StateOf("c"), "");
  EXPECT_FALSE(Answered("c", "e"));
}

}  // namespace
}  // namespace sidecar
