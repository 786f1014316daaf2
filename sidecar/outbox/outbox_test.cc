// Shows the counters of the outbox, and that delivery keeps the order and loses no write, whatever
// the server answers.
#include "sidecar/outbox/outbox.h"

#include <gtest/gtest.h>

#include <random>

#include "lib/api/memory_api.h"
#include "sidecar/outbox/dead_letters.h"
#include "sidecar/upstream/outbox_fixture.h"

namespace sidecar {
namespace {

TEST_F(OutboxTest, RowsAndBytesAreLimited) {
  const OutboxLimits three{.rows = 3, .bytes = 1 << 20};
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(TryAdd("a", std::to_string(i), three));
  auto full = TryAdd("a", "4", three);
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, base::Code::kFull);
  EXPECT_EQ(Totals().accepted, 3);
  EXPECT_FALSE(TryAdd("a", std::string(3000, 'x'), {.rows = 100, .bytes = 2000}));
  ExpectBalance();
}

TEST_F(OutboxTest, CountersSurviveReopening) {
  Add("a", "1");
  Add("a", "2");
  Add("a", "3");
  Apply([](sqlite::Database& db) { return MarkDelivered(db, 1); });
  Apply([](sqlite::Database& db) { return MarkDead(db, 2, "400", "why"); });
  Apply([](sqlite::Database& db) { return MarkDelivered(db, 1); });  // again: no effect
  Apply([](sqlite::Database& db) { return MarkDelivered(db, 2); });
  Open();
  const OutboxTotals totals = Totals();
  EXPECT_EQ(totals.accepted, 3);
  EXPECT_EQ(totals.delivered, 1);
  EXPECT_EQ(totals.dead, 1);
  EXPECT_EQ(totals.pending, 1);
  ExpectBalance();
  auto letters = state_->Read([](sqlite::Database& db) { return DeadLetters(db, 0, 10); });
  ASSERT_EQ(letters->size(), 1u);
  EXPECT_EQ((*letters)[0].reason, "why");
}

TEST_F(OutboxTest, WaitingLaneDelaysNoOtherLane) {
  for (const char* body : {"a1", "b1", "a2", "b2"}) Add(std::string(1, body[0]), body);
  std::vector<std::string> taken;
  bool refuse_a = true;
  Delivery delivery =
      Make([&](const std::string&, http::ClientRequest request) -> base::Result<http::Response> {
        if (refuse_a && request.body[0] == 'a') return Status(500);
        taken.push_back(request.body);
        return Status(201);
      });
  delivery.Round();
  EXPECT_EQ(taken, (std::vector<std::string>{"b1", "b2"}));
  refuse_a = false;
  Drain(delivery);
  EXPECT_EQ(taken, (std::vector<std::string>{"b1", "b2", "a1", "a2"}));
  ExpectBalance();
}

TEST_F(OutboxTest, UnreachableServerIsRetriedAfterPause) {
  for (int i = 0; i < 5; ++i) Add("lane" + std::to_string(i), "x");
  int calls = 0;
  Delivery delivery =
      Make([&](const std::string&, http::ClientRequest) -> base::Result<http::Response> {
        ++calls;
        return base::Error{base::Code::kUnavailable, "refused"};
      });
  delivery.Round();
  EXPECT_EQ(calls, 1);  // one failed call suspends the outbox
  EXPECT_EQ(delivery.suspension()->reason, "unreachable");
  EXPECT_GT(delivery.Round(), 0);
  EXPECT_EQ(calls, 1);
  for (int i = 0; i < 200; ++i) clock_.Advance(delivery.Round());
  EXPECT_GE(calls, 200 * 5 / 6);  // each lane probes once, then a round without a call
  EXPECT_EQ(Totals().pending, 5);
}

TEST_F(OutboxTest, WriteOverQuotaWaitsForRetryAfter) {
  Add("a", "1");
  Add("b", "2");
  int calls = 0;
  bool over = true;
  Delivery delivery =
      Make([&](const std::string&, http::ClientRequest) -> base::Result<http::Response> {
        ++calls;
        http::Response answer = Status(over ? 429 : 201);
        answer.headers.Set("Retry-After", "7");
        return answer;
      });
  delivery.Round();
  EXPECT_EQ(calls, 1);  // both rows share a quota
  EXPECT_FALSE(delivery.suspended());
  clock_.Advance(6'999);
  delivery.Round();
  EXPECT_EQ(calls, 1);
  for (int i = 0; i < 100; ++i) {
    clock_.Advance(7'000);
    delivery.Round();
  }
  EXPECT_EQ(Totals().dead, 0);
  EXPECT_EQ(Totals().pending, 2);
  over = false;
  Drain(delivery);
  EXPECT_EQ(Totals().delivered, 2);
  ExpectBalance();
}

TEST_F(OutboxTest, OldRowIsFlaggedAndDelaysNoNewRow) {
  Add("old", "1");
  clock_.Advance(30'000);
  Add("new", "2");
  std::vector<std::string> taken;
  bool over = true;
  Delivery delivery =
      Make([&](const std::string&, http::ClientRequest request) -> base::Result<http::Response> {
        EXPECT_EQ(request.headers.Get(api::kReplayHeader).has_value(), request.body == "1");
        if (over && request.body == "1") return Status(429);
        taken.push_back(request.body);
        return Status(201);
      });
  delivery.Round();
  EXPECT_EQ(taken, std::vector<std::string>{"2"});
  over = false;
  Drain(delivery);
  EXPECT_EQ(taken, (std::vector<std::string>{"2", "1"}));
}

TEST_F(OutboxTest, RetriesKeepKeyAndStoreRowOnce) {
  const uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::map<std::string, std::vector<std::string>> lanes;
  for (int i = 0; i < 200; ++i) {
    const std::string lane = "lane" + std::to_string(random() % 5);
    Add(lane, lane + ":" + std::to_string(i));
    lanes[lane].push_back(lane + ":" + std::to_string(i));
  }
  std::set<std::string> keys;
  std::map<std::string, std::vector<std::string>> taken;
  std::map<std::string, int> tries;
  Delivery delivery =
      Make([&](const std::string&, http::ClientRequest request) -> base::Result<http::Response> {
        // Fewer consecutive refusals than make the row a dead letter.
        switch (++tries[request.body] < 9 ? random() % 6 : 5) {
          case 0:
            return base::Error{base::Code::kUnavailable, "refused"};
          case 1:
            return Status(503);
          case 2:
            return Status(500);
          default:
            break;
        }
        EXPECT_EQ(request.headers.Get("Idempotency-Key"), "key-" + request.body);
        if (keys.insert(request.body).second) {
          taken[request.body.substr(0, 5)].push_back(request.body);
        }
        // Sometimes the answer to an accepted write is lost.
        if (tries[request.body] < 9 && random() % 5 == 0)
          return base::Error{base::Code::kTimeout, "no answer"};
        return Status(201);
      });
  Drain(delivery);
  EXPECT_EQ(Totals().delivered, 200);
  EXPECT_EQ(taken, lanes);
  ExpectBalance();
}

TEST_F(OutboxTest, ChangedNamespaceMakesDeadLetters) {
  Add("a", "1");
  int calls = 0;
  Delivery delivery = Make(
      [&](const std::string&, http::ClientRequest) -> base::Result<http::Response> {
        ++calls;
        return Status(201);
      },
      "http://elsewhere:1");
  delivery.Round();
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(*state_->Read([](sqlite::Database& db) { return DeadByCause(db); }),
            (std::map<std::string, int64_t>{{"destination", 1}}));
  ExpectBalance();
}

TEST_F(OutboxTest, FlushKeepsRowsOfUnreachableServer) {
  for (int i = 0; i < 3; ++i) Add("a", std::to_string(i));
  Delivery away(
      *state_,
      [](const std::string&, http::ClientRequest) -> base::Result<http::Response> {
        return base::Error{base::Code::kUnavailable, "refused"};
      },
      [] { return "http://here:1"; }, base::SystemClock(), {.retry_first_ms = 1});
  EXPECT_EQ(away.Flush(5'000), 3);
  Delivery up(
      *state_,
      [](const std::string&, http::ClientRequest) -> base::Result<http::Response> {
        return Status(201);
      },
      [] { return "http://here:1"; }, base::SystemClock(), {.retry_first_ms = 1});
  EXPECT_EQ(up.Flush(5'000), 0);
  EXPECT_EQ(Totals().delivered, 3);
}

TEST_F(OutboxTest, PauseInFlushEndsAtLimit) {
  Add("a", "1");
  constexpr int64_t kPauseMs = 600'000;
  Delivery away(
      *state_,
      [](const std::string&, http::ClientRequest) -> base::Result<http::Response> {
        return base::Error{base::Code::kUnavailable, "refused"};
      },
      [] { return "http://here:1"; }, base::SystemClock(),
      {.retry_first_ms = kPauseMs, .retry_longest_ms = kPauseMs});
  const int64_t begin_ms = base::SystemClock().MonotonicMs();
  EXPECT_EQ(away.Flush(20), 1);
  EXPECT_LT(base::SystemClock().MonotonicMs() - begin_ms, kPauseMs / 20);
}

// A stop must end within its limit, since the kubelet kills the container after the grace period.
TEST_F(OutboxTest, FlushOfSlowServerEndsAtLimit) {
  for (int i = 1; i <= 10; ++i) Add("lane", std::to_string(i));
  constexpr int64_t kLimitMs = 1'000;
  for (const int64_t answer_ms : {300, 20'000}) {
    auto delivery = Make([&](const std::string&,
                             const http::ClientRequest& request) -> base::Result<http::Response> {
      clock_.Advance(std::min(answer_ms, request.timeout_ms));
      if (answer_ms > request.timeout_ms) return base::Error{base::Code::kTimeout, "slow"};
      return Status(201);
    });
    const int64_t begin_ms = clock_.MonotonicMs();
    const int64_t delivered = Totals().delivered;
    const int64_t pending = delivery.Flush(kLimitMs);
    EXPECT_EQ(pending, Totals().pending);
    EXPECT_LE(clock_.MonotonicMs() - begin_ms, kLimitMs);
    EXPECT_EQ(Totals().delivered - delivered, answer_ms < kLimitMs ? 3 : 0);
    ExpectBalance();
  }
}

}  // namespace
}  // namespace sidecar
