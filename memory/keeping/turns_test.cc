// What turns go through, on each engine of the seam.
#include "memory/keeping/turns.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>
#include <vector>

#include "lib/testing/fake_clock.h"
#include "memory/rows/fake_host_fixture.h"
#include "memory/rows/fake_turns_fixture.h"
#include "memory/sqlite/tables/migrated_file_fixture.h"
#include "memory/sqlite/turns/turn_rows.h"

namespace memory {
namespace {

using base::Code;
using base::Json;

constexpr int64_t kDayMs = 86'400'000;

// The turns of one engine, with `pending` of them in addition that are nowhere.
class Queue {
 public:
  explicit Queue(RowEngine engine, int64_t pending = 0) {
    if (engine == RowEngine::kSqlite) {
      file_ = std::make_unique<MigratedFile>();
      on_disk_ = std::make_unique<SqliteTurns>(file_->database());
    }
    StartWith(pending);
  }
  void StartWith(int64_t pending) {
    auto host = std::make_unique<FakeHost<TurnRows>>(rows());
    host_ = host.get();
    turns_ = std::make_unique<Turns>(std::move(host), clock_, pending);
  }
  TurnRows& rows() { return on_disk_ ? *on_disk_ : static_cast<TurnRows&>(fake_); }
  Turns& turns() { return *turns_; }
  FakeHost<TurnRows>& host() { return *host_; }
  ::testing::FakeClock& clock() { return clock_; }

 private:
  ::testing::FakeClock clock_;
  FakeTurns fake_;
  std::unique_ptr<MigratedFile> file_;
  std::unique_ptr<TurnRows> on_disk_;
  FakeHost<TurnRows>* host_ = nullptr;
  std::unique_ptr<Turns> turns_;
};

Turn Said(const std::string& user, const std::string& text, const std::string& project = "p") {
  Turn turn;
  turn.context = {project, "c", user, "agent"};
  turn.user = text;
  return turn;
}

class TurnRulesTest : public ::testing::TestWithParam<RowEngine> {
 protected:
  Turns& turns() { return queue_.turns(); }
  std::string Accept(const Turn& turn, const RequestKey& key = "") {
    auto accepted = turns().Accept(turn, key);
    EXPECT_TRUE(accepted) << accepted.error().message;
    return accepted ? accepted->id : "";
  }
  PendingTurn MustNext() {
    auto next = turns().Next();
    EXPECT_TRUE(next && *next);
    return next && *next ? **next : PendingTurn();
  }
  TurnsDue Finish(const PendingTurn& turn, int64_t reflect_tokens = kReflectTokens) {
    auto due = turns().Finish(turn, {"a fact"}, reflect_tokens);
    EXPECT_TRUE(due) << due.error().message;
    return due ? *due : TurnsDue();
  }
  std::string FinishNext() {
    const PendingTurn next = MustNext();
    Finish(next);
    return next.turn.user;
  }
  std::string StateOf(const std::string& user, const std::string& id) {
    auto found = turns().Find(Said(user, "").context, id);
    EXPECT_TRUE(found) << found.error().message;
    return found && *found ? (*found)->state : "none";
  }
  static std::string Refusal(const auto& result) {
    if (result) return "not refused";
    EXPECT_EQ(result.error().code, Code::kUnavailable);
    return result.error().message;
  }
  Queue queue_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Engines, TurnRulesTest, kRowEngines, kNameOfRowEngine);

TEST_P(TurnRulesTest, NextTurnIsWhatWasSaid) {
  Turn turn = Said("ann", "hello");
  turn.assistant = "good day";
  turn.settings = {{"min_confidence", 0.5}};
  turn.source.origin = "agent";
  const std::string id = Accept(turn);
  EXPECT_TRUE(turns().AnyPending());
  const PendingTurn next = MustNext();
  EXPECT_EQ(next.id, id);
  EXPECT_EQ(next.tries, 0);
  EXPECT_EQ(next.turn.context.project, "p");
  EXPECT_EQ(next.turn.context.conversation, "c");
  EXPECT_EQ(next.turn.context.user, "ann");
  EXPECT_EQ(next.turn.context.agent, "agent");
  EXPECT_EQ(next.turn.user, "hello");
  EXPECT_EQ(next.turn.assistant, "good day");
  EXPECT_EQ(next.turn.settings, turn.settings);
  EXPECT_EQ(next.turn.source.origin, "agent");
  EXPECT_EQ(MustNext().id, id) << "until it is finished";
}

TEST_P(TurnRulesTest, FinishedTurnHasFactsAndNoTexts) {
  const std::string id = Accept(Said("ann", "hello"));
  const PendingTurn next = MustNext();
  Finish(next);
  const auto found = turns().Find(next.turn.context, id);
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->state, "done");
  EXPECT_EQ((*found)->facts, Json({"a fact"}));
  EXPECT_FALSE(turns().AnyPending());
  EXPECT_FALSE(*turns().Next());
  ASSERT_TRUE(queue_.rows().SetState(id, kTurnPending, 0, ""));
  const auto row = queue_.rows().NextOf(queue_.rows().Find(id).value()->owner);
  EXPECT_EQ(row.value()->body, "{}");
}

TEST_P(TurnRulesTest, OnlyItsOwnerSeesATurn) {
  const std::string id = Accept(Said("ann", "hello"));
  EXPECT_EQ(StateOf("ann", id), "pending");
  EXPECT_EQ(StateOf("bob", id), "none");
  EXPECT_FALSE(*turns().Find(Said("ann", "", "q").context, id));
  EXPECT_TRUE(*turns().Find(Said("ann", "", "P").context, id)) << "names of projects are folded";
  EXPECT_FALSE(*turns().Retry(Said("bob", "").context, id));
}

TEST_P(TurnRulesTest, RepeatedKeyIsTheSameTurnAndOtherWordsAreReuse) {
  const RequestKey key("k", "account");
  const auto first = turns().Accept(Said("ann", "hello"), key);
  ASSERT_TRUE(first);
  EXPECT_FALSE(first->repeated);
  const auto again = turns().Accept(Said("ann", "hello"), key);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->id, first->id);
  EXPECT_TRUE(again->repeated);
  EXPECT_FALSE(again->key_reused);
  EXPECT_TRUE(turns().Accept(Said("ann", "other"), key)->key_reused);
  EXPECT_FALSE(turns().Accept(Said("bob", "hello"), key)->repeated) << "another user's key";
  EXPECT_FALSE(turns().Accept(Said("ann", "hello"), {"k", "other"})->repeated);
  EXPECT_FALSE(turns().Accept(Said("ann", "hello"), "")->repeated);
  FinishNext();
  EXPECT_TRUE(turns().Accept(Said("ann", "hello"), key)->repeated) << "done or not";
}

TEST_P(TurnRulesTest, IdOfAKeyFromAnEarlierVersionIsKnown) {
  Accept(Said("ann", "hello"));
  const PendingTurn next = MustNext();
  TurnRow row = *queue_.rows().Find(next.id).value();
  row.id = "turn_c0a5acc6202a247196a3b506d9c2b493";  // of caller "account" and key "k"
  ASSERT_TRUE(queue_.rows().Add(row));
  const auto again = turns().Accept(Said("ann", "hello"), {"k", "account"});
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->repeated);
  EXPECT_EQ(again->id, row.id);
  EXPECT_FALSE(turns().Accept(Said("bob", "hello"), {"k", "account"})->repeated);
}

TEST_P(TurnRulesTest, OwnersTakeTurnsInAFairOrder) {
  for (int i = 0; i < 30; ++i) Accept(Said("ann", "ann " + std::to_string(i)));
  Accept(Said("bob", "bob 0"));
  Accept(Said("carl", "carl 0", "q"));
  Accept(Said("bob", "bob 1"));
  std::vector<std::string> order;
  for (int i = 0; i < 7; ++i) order.push_back(FinishNext());
  EXPECT_EQ(order, (std::vector<std::string>{"ann 0", "bob 0", "carl 0", "ann 1", "bob 1", "ann 2",
                                             "ann 3"}));
}

TEST_P(TurnRulesTest, FailedTurnIsRetriedAfterOthersOfItsOwner) {
  for (int i = 0; i < 3; ++i) Accept(Said("ann", std::to_string(i)));
  ASSERT_TRUE(turns().Fail(MustNext(), "no model"));
  EXPECT_EQ(FinishNext(), "1");
  EXPECT_EQ(FinishNext(), "2");
  EXPECT_EQ(MustNext().tries, 1);
  EXPECT_EQ(FinishNext(), "0");
}

TEST_P(TurnRulesTest, TurnThatFailedTooOftenIsADeadLetterUntilARetry) {
  const std::string id = Accept(Said("ann", "hello"));
  ASSERT_TRUE(turns().Fail(MustNext(), "first", 2));
  EXPECT_EQ(StateOf("ann", id), "pending");
  ASSERT_TRUE(turns().Fail(MustNext(), "second", 2));
  EXPECT_EQ(StateOf("ann", id), "failed");
  EXPECT_EQ((*turns().Find(Said("ann", "").context, id))->reason, "second");
  EXPECT_FALSE(turns().AnyPending());
  EXPECT_FALSE(*turns().Next());
  EXPECT_EQ(**turns().Retry(Said("ann", "").context, id), "failed");
  EXPECT_TRUE(turns().AnyPending());
  EXPECT_EQ((*turns().Find(Said("ann", "").context, id))->reason, "");
  const PendingTurn next = MustNext();
  EXPECT_EQ(next.tries, 0);
  EXPECT_EQ(next.turn.user, "hello");
  EXPECT_EQ(**turns().Retry(next.turn.context, id), "pending") << "and changes nothing";
  Finish(next);
  EXPECT_FALSE(turns().AnyPending());
}

TEST_P(TurnRulesTest, WithoutRoomForDeadLettersATurnStaysPending) {
  TurnRow row;
  row.state = kTurnFailed;
  for (int64_t i = 0; i < kMaxDeadTurns; ++i) {
    row.id = "dead " + std::to_string(i);
    ASSERT_TRUE(queue_.rows().Add(row));
  }
  const std::string id = Accept(Said("ann", "hello"));
  ASSERT_TRUE(turns().Fail(MustNext(), "unusable", 1));
  EXPECT_EQ(StateOf("ann", id), "pending");
  EXPECT_EQ(MustNext().tries, 1);
  ASSERT_TRUE(queue_.rows().SetState("dead 0", kTurnDone, 0, ""));
  ASSERT_TRUE(turns().Fail(MustNext(), "unusable", 1));
  EXPECT_EQ(StateOf("ann", id), "failed");
}

TEST_P(TurnRulesTest, OutcomeOfATurnThatIsNotPendingChangesNothing) {
  Accept(Said("ann", "hello"));
  Accept(Said("ann", "waits"));
  PendingTurn next = MustNext();
  Finish(next);
  EXPECT_FALSE(Finish(next, 0).reflect) << "reported once, and counts nothing";
  ASSERT_TRUE(turns().Fail(next, "late", 1));
  EXPECT_EQ(StateOf("ann", next.id), "done");
  EXPECT_EQ(FinishNext(), "waits");
  EXPECT_FALSE(turns().AnyPending());
  next.id = "unknown";
  EXPECT_FALSE(Finish(next, 0).reflect);
}

TEST_P(TurnRulesTest, NoteAndReflectionAreDueAfterTheirTokensAndCountAnew) {
  const std::string third(kObserveTokens, 'x');  // 10,000 tokens
  const auto say = [&](const std::string& user) {
    Accept(Said(user, third));
    return Finish(MustNext());
  };
  EXPECT_FALSE(say("ann").note);
  EXPECT_FALSE(say("ann").note);
  EXPECT_FALSE(say("bob").note) << "of each owner";
  TurnsDue due = say("ann");
  EXPECT_TRUE(due.note);
  EXPECT_FALSE(due.reflect);
  due = say("ann");
  EXPECT_FALSE(due.note);
  EXPECT_TRUE(due.reflect) << "after 40,000";
  due = say("ann");
  EXPECT_FALSE(due.note || due.reflect);
  Accept(Said("ann", third));
  EXPECT_TRUE(Finish(MustNext(), kOftenReflectTokens).reflect);
}

TEST_P(TurnRulesTest, FullQueueRefusesTurnsAndRetries) {
  const std::string id = Accept(Said("ann", "hello"));
  ASSERT_TRUE(turns().Fail(MustNext(), "unusable", 1));
  queue_.StartWith(kMaxPendingTurns);
  const std::string full = "10000 turns wait for their facts, the limit is 10000; try again";
  EXPECT_EQ(Refusal(turns().Accept(Said("bob", "hello"), "")), full);
  EXPECT_EQ(Refusal(turns().Retry(Said("ann", "").context, id)), full);
  queue_.StartWith(kMaxPendingTurns - 1);
  EXPECT_TRUE(turns().Retry(Said("ann", "").context, id));
  EXPECT_EQ(Refusal(turns().Accept(Said("bob", "hello"), "")), full);
}

TEST_P(TurnRulesTest, OwnerMayHaveAsManyTurnsAsThereIsRoomForOthers) {
  queue_.StartWith(kMaxPendingTurns - 6);
  const RequestKey key("k");
  Accept(Said("ann", "0"), key);
  Accept(Said("ann", "1"));
  Accept(Said("ann", "2"));
  EXPECT_EQ(Refusal(turns().Accept(Said("ann", "3"), "")),
            "3 turns of this user wait for their facts, and the room for those of others is 3; try "
            "again");
  EXPECT_TRUE(turns().Accept(Said("ann", "0"), key)->repeated) << "a repetition needs no room";
  EXPECT_TRUE(turns().Accept(Said("bob", "0"), ""));
}

TEST_P(TurnRulesTest, OwnerHasNoShareWhileTheQueueIsHalfEmpty) {
  queue_.StartWith(0);
  for (int i = 0; i < 10; ++i) Accept(Said("ann", std::to_string(i)));
  queue_.StartWith(kMaxPendingTurns / 2 - 1);
  EXPECT_TRUE(turns().Accept(Said("ann", "more"), ""));
}

TEST_P(TurnRulesTest, TenantAtItsQuotaAcceptsNoTurnAndFinishesThoseThatWait) {
  const std::string dead = Accept(Said("ann", "first"));
  ASSERT_TRUE(turns().Fail(MustNext(), "unusable", 1));
  Accept(Said("ann", "hello"));
  queue_.host().admits = base::Error{Code::kFull, "quota"};
  EXPECT_EQ(turns().Accept(Said("ann", "more"), "").error().code, Code::kFull);
  EXPECT_EQ(turns().Retry(Said("ann", "").context, dead).error().code, Code::kFull);
  ASSERT_TRUE(turns().Fail(MustNext(), "no model"));
  EXPECT_EQ(FinishNext(), "hello");
}

TEST_P(TurnRulesTest, SweepRemovesTurnsDoneAWeekAgoAndNoOther) {
  const auto add = [&](const std::string& id, const char* state) {
    TurnRow row;
    row.id = id;
    row.state = state;
    row.received_ms = queue_.clock().NowMs();
    ASSERT_TRUE(queue_.rows().Add(row));
  };
  for (int i = 0; i < 501; ++i) add("done " + std::to_string(i), kTurnDone);
  add("waits", kTurnPending);
  add("dead", kTurnFailed);
  queue_.clock().Advance(1);
  add("later", kTurnDone);
  queue_.clock().Advance(7 * kDayMs - 1);
  ASSERT_TRUE(turns().Sweep());
  EXPECT_EQ(queue_.host().writes, 0) << "nothing is old enough";
  queue_.clock().Advance(1);
  ASSERT_TRUE(turns().Sweep());
  EXPECT_EQ(queue_.host().writes, 2) << "500 at once";
  EXPECT_FALSE(*queue_.rows().Find("done 0"));
  EXPECT_FALSE(*queue_.rows().Find("done 500"));
  for (const char* id : {"waits", "dead", "later"}) EXPECT_TRUE(*queue_.rows().Find(id)) << id;
}

// The fake answers as the file does, so that tests of meaning may run on it alone.
TEST(TurnsModel, BothEnginesAnswerAlike) {
  const auto seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto below = [&](size_t limit) { return random() % limit; };
  Queue fake(RowEngine::kFake), file(RowEngine::kSqlite);
  for (Queue* queue : {&fake, &file}) queue->StartWith(kMaxPendingTurns - 40);
  std::set<std::string> ids{"turn_unknown"};
  const auto both = [&](const auto& call) {
    const std::string a = call(fake.turns()), b = call(file.turns());
    EXPECT_EQ(a, b);
    return a == b;
  };
  const auto error = [](const auto& result) { return "refused: " + result.error().message; };
  for (int step = 0; step < 1000; ++step) {
    const std::string user = "user " + std::to_string(below(4));
    const std::string text = std::to_string(below(5)) + std::string(below(3) * 30'000, 'x');
    const std::string key = "k" + std::to_string(below(200));
    auto chosen = ids.begin();
    std::advance(chosen, below(ids.size()));
    const size_t call = below(8);
    const int64_t most = 1 + below(3);
    const int64_t later_ms = below(kDayMs);
    const bool alike = both([&](Turns& turns) -> std::string {
      if (call < 3) {
        const auto accepted = turns.Accept(Said(user, text), key);
        if (!accepted) return error(accepted);
        ids.insert(accepted->id);
        return accepted->id + (accepted->repeated ? " again" : "") +
               (accepted->key_reused ? " reused" : "");
      }
      if (call < 6) {
        const auto next = turns.Next();
        if (!next) return error(next);
        if (!*next) return "none";
        const std::string was = (*next)->id + std::to_string((*next)->tries) + (*next)->turn.user;
        if (call == 5) return was + (turns.Fail(**next, text, most) ? " failed" : " error");
        const auto due = turns.Finish(**next, {text}, kReflectTokens);
        if (!due) return error(due);
        return was + (due->note ? " note" : "") + (due->reflect ? " reflect" : "");
      }
      if (call == 6) {
        const auto before = turns.Retry(Said(user, "").context, *chosen);
        return before ? before->value_or("none") : error(before);
      }
      const auto state = turns.Find(Said(user, "").context, *chosen);
      if (!state) return error(state);
      if (!*state) return turns.Sweep() ? "none" : "error";
      return (*state)->state + (*state)->reason + (*state)->facts.dump();
    });
    ASSERT_TRUE(alike) << "call " << call << " in step " << step;
    ASSERT_EQ(fake.turns().AnyPending(), file.turns().AnyPending());
    for (Queue* queue : {&fake, &file}) queue->clock().Advance(later_ms);
  }
}

}  // namespace
}  // namespace memory
