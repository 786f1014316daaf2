// Shows that delivery sleeps without work, suspends the outbox on a fault of the server, and makes
// a row a dead letter only on a fault of the row.
#include "sidecar/upstream/delivery.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sidecar/upstream/outbox_fixture.h"

namespace sidecar {
namespace {

using base::Result;

class DeliveryTest : public OutboxTest {
 protected:
  // The number of rounds that the thread would run in `ms`.
  int RoundsWithin(Delivery& delivery, int64_t ms) {
    const int64_t end_ms = clock_.MonotonicMs() + ms;
    int rounds = 0;
    for (; clock_.MonotonicMs() < end_ms; ++rounds) clock_.Advance(delivery.Round());
    return rounds;
  }
  std::vector<std::string> taken_;
  int calls_ = 0;
};

TEST_F(DeliveryTest, EmptyOutboxIsPolledOnceAMinute) {
  Delivery delivery = Make(
      [](const std::string&, http::ClientRequest) { return Result<http::Response>(Status(201)); });
  EXPECT_LE(RoundsWithin(delivery, 600'000), 10);
}

TEST_F(DeliveryTest, BudgetedLaneInRetryDoesNotSpin) {
  Add("a", "1");
  Delivery delivery = Make([&](const std::string&, http::ClientRequest) -> Result<http::Response> {
    http::Response answer = Status(calls_++ == 0 ? 500 : 429);
    answer.headers.Set("Retry-After", "60");
    return answer;
  });
  EXPECT_LE(RoundsWithin(delivery, 600'000), 40);
  EXPECT_EQ(Totals().pending, 1);
}

TEST_F(DeliveryTest, LaneWithoutRowsIsForgotten) {
  Add("a", "1");
  std::string url = "http://here:1";
  Delivery delivery(
      *state_,
      [](const std::string&, http::ClientRequest) { return Result<http::Response>(Status(500)); },
      [&] { return url; }, clock_, {});
  clock_.Advance(delivery.Round());
  url = "http://elsewhere:1";
  EXPECT_LE(RoundsWithin(delivery, 600'000), 15);
  EXPECT_EQ(Totals().dead, 1);
}

TEST_F(DeliveryTest, WrongServerSuspendsTheOutbox) {
  for (int i = 0; i < 50; ++i) Add("lane" + std::to_string(i % 5), std::to_string(i));
  for (const int status : {404, 403, 308, 405, 200, 401, 500}) {
    SCOPED_TRACE(status);
    bool wrong = true;
    calls_ = 0;
    Delivery delivery =
        Make([&](const std::string&, http::ClientRequest) -> Result<http::Response> {
          ++calls_;
          http::Response answer = Status(wrong ? status : 503);
          answer.body = "<html></html>";
          return answer;
        });
    clock_.Advance(delivery.Round());
    EXPECT_LE(calls_, 2) << "one row, and where it may be at fault another, decide for all";
    RoundsWithin(delivery, 24 * 3'600'000);
    EXPECT_TRUE(delivery.suspended());
    EXPECT_EQ(Totals().dead, 0);
    EXPECT_EQ(Totals().pending, 50);
    EXPECT_LT(calls_, 24 * 3'600 / 10) << "probed with pauses";
    ExpectBalance();
  }
  std::vector<std::string> lane0;
  Delivery well =
      Make([&](const std::string&, http::ClientRequest request) -> Result<http::Response> {
        if (std::stoi(request.body) % 5 == 0) lane0.push_back(request.body);
        return Status(201);
      });
  Drain(well);
  EXPECT_EQ(Totals().delivered, 50);
  EXPECT_TRUE(std::ranges::is_sorted(lane0, {}, [](const std::string& t) { return std::stoi(t); }));
  EXPECT_FALSE(well.suspended());
}

TEST_F(DeliveryTest, SuspensionHasReasonAndTime) {
  Add("a", "1");
  int status = 401;
  Delivery delivery = Make([&](const std::string&, http::ClientRequest) -> Result<http::Response> {
    return Status(status);
  });
  const int64_t since_ms = clock_.NowMs();
  clock_.Advance(delivery.Round());
  ASSERT_TRUE(delivery.suspension());
  EXPECT_EQ(delivery.suspension()->reason, "unauthenticated");
  RoundsWithin(delivery, 60'000);
  EXPECT_EQ(delivery.suspension()->since_ms, since_ms);
  status = 201;
  Drain(delivery);
  EXPECT_FALSE(delivery.suspension());
}

TEST_F(DeliveryTest, RowRefusedAloneBecomesADeadLetter) {
  for (const int status : {500, 404}) {
    SCOPED_TRACE(status);
    const int64_t dead = Totals().dead;
    Add("poisoned", "poison");
    Add("poisoned", "behind");
    calls_ = 0;
    taken_.clear();
    int refusals_before_behind = 0;
    Delivery delivery =
        Make([&](const std::string&, http::ClientRequest request) -> Result<http::Response> {
          if (request.body == "poison") {
            ++calls_;
            http::Response answer = Status(status);
            answer.body = "<html></html>";
            return answer;
          }
          if (request.body == "behind") refusals_before_behind = calls_;
          taken_.push_back(request.body);
          return Status(201);
        });
    for (int i = 0; i < 500 && Totals().dead == dead; ++i) {
      Add("other" + std::to_string(i), "x" + std::to_string(i));
      clock_.Advance(delivery.Round());
      EXPECT_LE(Totals().pending, 3) << "the others pass";
    }
    Drain(delivery);
    EXPECT_EQ(Totals().dead, dead + 1);
    EXPECT_EQ(std::count(taken_.begin(), taken_.end(), "behind"), 1);
    EXPECT_EQ(refusals_before_behind, calls_) << "the row behind is sent once the first is dead";
    EXPECT_GE(calls_, 10);
    EXPECT_LE(calls_, 40);
    ExpectBalance();
  }
}

// Without other lanes, the next row of the lane shows that the poisoned row is at fault.
TEST_F(DeliveryTest, PoisonedRowDoesNotBlockItsLane) {
  for (const char* body : {"poison", "second", "third"}) Add("only", body);
  Delivery delivery =
      Make([&](const std::string&, http::ClientRequest request) -> Result<http::Response> {
        if (request.body == "poison") return Status(500);
        taken_.push_back(request.body);
        return Status(201);
      });
  Drain(delivery);
  EXPECT_EQ(Totals().dead, 1);
  EXPECT_EQ(taken_, (std::vector<std::string>{"second", "third"}));
  ExpectBalance();
}

TEST_F(DeliveryTest, OutageMakesNoDeadLetterAndKeepsOrder) {
  for (int i = 0; i < 6; ++i) Add("lane" + std::to_string(i % 2), std::to_string(i));
  bool away = true;
  Delivery delivery =
      Make([&](const std::string&, http::ClientRequest request) -> Result<http::Response> {
        if (away) return base::Error{base::Code::kUnavailable, "refused"};
        taken_.push_back(request.body);
        return Status(201);
      });
  RoundsWithin(delivery, 3 * 24 * 3'600'000);
  away = false;
  Drain(delivery);
  EXPECT_EQ(Totals().delivered, 6);
  EXPECT_EQ(Totals().dead, 0);
}

}  // namespace
}  // namespace sidecar
