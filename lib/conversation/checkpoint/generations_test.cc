// Tests generations, their expiry and limit, and rows that changed on disk.
#include <gtest/gtest.h>

#include "lib/base/text/digest.h"
#include "lib/conversation/checkpoint/checkpoint.h"
#include "lib/conversation/rows_fixture.h"

namespace conversation {
namespace {

class CheckpointTable : public RowsTest {
 protected:
  base::Result<CheckpointRow> Save(const std::string& document, const std::string& id = "c",
                                   int64_t kept = 3) {
    return SaveCheckpoint(rows(), {.owner = "o\n",
                                   .conversation = id,
                                   .document = document,
                                   .sha256 = base::Sha256Hex(document),
                                   .step = ++step_,
                                   .ttl_ms = 1000,
                                   .now_ms = now_ms_,
                                   .wall_ms = 5,
                                   .kept = kept});
  }
  std::vector<int64_t> Generations() {
    std::vector<int64_t> numbers;
    const auto listed = ListCheckpoints(rows(), "c", now_ms_);
    for (const CheckpointRow& row : *listed) numbers.push_back(row.generation);
    return numbers;
  }
  using Numbers = std::vector<int64_t>;

  int64_t step_ = 0, now_ms_ = 10'000;
};
INSTANTIATE_TEST_SUITE_P(Rows, CheckpointTable, kBothEngines, EngineName);
class CheckpointTableOnDisk : public CheckpointTable {};
INSTANTIATE_TEST_SUITE_P(Rows, CheckpointTableOnDisk, testing::Values(Engine::kSqlite), EngineName);

TEST_P(CheckpointTable, NewestGenerationsAreKept) {
  for (const char* document : {"{}", "{1}", "{2}", "{3}"}) ASSERT_TRUE(Save(document));
  ASSERT_TRUE(Save("{other}", "d"));
  EXPECT_EQ(Generations(), (Numbers{4, 3, 2}));
  EXPECT_EQ(*ReadCheckpoint(rows(), "c", 4), "{3}");
  EXPECT_EQ(ReadCheckpoint(rows(), "c", 1).error().code, base::Code::kNotFound);
  ASSERT_TRUE(Save("{4}", "c", 1));
  EXPECT_EQ(Generations(), (Numbers{5}));
}

TEST_P(CheckpointTable, ExpiredCheckpointIsHiddenThenRemoved) {
  ASSERT_TRUE(Save("{}"));
  now_ms_ += 999;
  EXPECT_EQ(Generations(), (Numbers{1}));
  now_ms_ += 1;
  EXPECT_EQ(Generations(), Numbers());
  EXPECT_EQ(*RemoveExpiredCheckpoints(rows(), now_ms_, 10), 0);
  ASSERT_TRUE(Save("{}"));
  EXPECT_EQ(Generations(), (Numbers{2})) << "no number is given twice";
  now_ms_ += 1000 + kKeepExpiredCheckpointMs;
  EXPECT_EQ(*RemoveExpiredCheckpoints(rows(), now_ms_, 10), 1);
  EXPECT_EQ(*rows().CheckpointBytes("o\n"), 0);
}

TEST_P(CheckpointTableOnDisk, DamagedRowIsNamed) {
  ASSERT_TRUE(Save("{sound}"));
  ASSERT_TRUE(Save("{changed}"));
  for (const char* change : {"document = '{chanced}'", "step = 7", "expires_ms = expires_ms + 1",
                             "sha256 = 'x'", "document = ''"}) {
    ASSERT_TRUE(database().Execute("SAVEPOINT before"));
    const std::string sql =
        std::string("UPDATE checkpoints SET ") + change + " WHERE generation = 2";
    ASSERT_TRUE(database().Execute(sql.c_str()));
    EXPECT_EQ(ReadCheckpoint(rows(), "c", 2).error().code, base::Code::kInternal) << change;
    EXPECT_EQ(database().TakeUnsoundRows().size(), 1u) << change;
    ASSERT_TRUE(database().Execute("ROLLBACK TO before"));
    ASSERT_TRUE(database().Execute("RELEASE before"));
  }
  EXPECT_EQ(*ReadCheckpoint(rows(), "c", 2), "{changed}");
  EXPECT_EQ(*ReadCheckpoint(rows(), "c", 1), "{sound}");
}

TEST_P(CheckpointTable, OwnerHasALimit) {
  ASSERT_TRUE(Save("{}"));
  EXPECT_EQ(*rows().CheckpointBytes("o\n"), 2 + kCheckpointRowBytes);
  CheckpointRow large;
  large.generation = 1;
  large.bytes = kMaxCheckpointsOfOwner;
  large.expires_ms = 1;
  ASSERT_TRUE(rows().InsertCheckpoint("o\n", "large", large, ""));
  const auto refused = Save("{}", "d");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::Code::kFull);
}

}  // namespace
}  // namespace conversation
