// Deadlines of queries inside the deadline of a read. The clock advances with each call.
#include <gtest/gtest.h>

#include "lib/sqlite/database.h"
#include "lib/testing/temporary_directory.h"

namespace sqlite {
namespace {

using base::Code;

// Advances by a millisecond with each call, and counts calls.
class TickingClock : public base::Clock {
 public:
  int64_t NowMs() const override { return 0; }
  int64_t MonotonicMs() const override { return ++looks; }
  mutable int64_t looks = 0;
};

TEST(TimeLimit, HoldsInsideAnother) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.File("x.db");
  TickingClock clock;
  Database::Options options;
  options.clock = &clock;
  auto opened = Database::Open(path, options);
  ASSERT_TRUE(opened) << opened.error().message;
  Database& database = *opened;
  auto read = [&]() -> base::Error {
    auto endless = database.Prepare(
        "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT max(n) FROM c");
    auto row = endless->Step();
    EXPECT_FALSE(row);
    return row ? base::Error() : row.error();
  };
  std::stop_source stop;
  const TimeLimit outer(database, 100, stop.get_token(), {Code::kUnavailable, "outer"});
  {
    const TimeLimit inner(database, 10);
    EXPECT_TRUE(database.WithinLimits());
    EXPECT_EQ(read().code, Code::kTimeout);
    EXPECT_TRUE(inner.Met());
    EXPECT_LT(clock.looks, 60);
  }
  EXPECT_FALSE(outer.Met());
  EXPECT_TRUE(database.WithinLimits());
  {
    const TimeLimit inner(database, 1'000'000);
    EXPECT_EQ(read().message, "outer");  // the inner limit left the outer one in place
    EXPECT_FALSE(inner.Met());
  }
  EXPECT_GE(clock.looks, 100);
  EXPECT_EQ(read().message, "outer");
  EXPECT_TRUE(outer.Met());
  EXPECT_FALSE(database.WithinLimits());
}

}  // namespace
}  // namespace sqlite
