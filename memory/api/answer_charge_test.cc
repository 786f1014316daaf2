// An answer that is built counts while it is built: where there is no memory for it, it is refused,
// and small ones go on.
#include "lib/base/limits/answer_charge.h"

#include "memory/api/api_fixture.h"

namespace memory {
namespace {

using base::AnswerCharge;

TEST(AnswerCharge, CountsLargeAnswersAndNoSmallOnes) {
  base::ByteBudget budget(1 << 20);
  base::ByteCharge charge(&budget);
  const base::ChargeScope scope(&charge);
  AnswerCharge small;
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(small.Add(1'000));
  EXPECT_EQ(charge.bytes(), 0u);
  AnswerCharge large;
  size_t rows = 0;
  while (rows < 1'000 && large.Add(10'000)) ++rows;
  EXPECT_LT(rows, 30u);
  EXPECT_GT(rows, 10u);
  const base::Status refused = large.Add(100'000);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::Code::kUnavailable);
}

TEST(AnswerCharge, WhereNobodyCountsNothingIsRefused) {
  AnswerCharge charge;
  EXPECT_TRUE(charge.Add(100 << 20));
}

class AnswersInABudget : public ApiTest {
 protected:
  void Restart(int64_t budget) {
    server_.reset();
    ServerSettings settings;
    settings.data_dir = scratch_.File("data");
    settings.memory_budget = budget;
    auto server = RunningServer::Start(settings, clock_);
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
    client_ = Connect(server_->api_address());
    admin_ = Connect(server_->admin_address());
  }
};

TEST_F(AnswersInABudget, AListIsRefusedWhereThereIsNoRoomForIt) {
  for (int i = 0; i < 20; ++i)
    MustPost(NoteBody("row " + std::to_string(i) + std::string(40'000, 'x')));
  Restart(1 << 20);
  const Answered refused = Get("/observations/recent?limit=1000");
  EXPECT_EQ(refused.status, 503) << refused.body;
  EXPECT_TRUE(refused.headers.Get("Retry-After"));
  EXPECT_EQ(Get("/observations/recent?limit=3").status, 200);
  Restart(16 << 20);
  EXPECT_EQ(Get("/observations/recent?limit=1000").body.size(), 20u);
}

}  // namespace
}  // namespace memory
