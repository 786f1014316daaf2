// Tests generations, their expiry and limit, and rows that changed on disk.
#include "lib/conversation/checkpoint/checkpoint_table.h"

#include <gtest/gtest.h>

#include "lib/base/text/digest.h"
#include "lib/testing/temporary_directory.h"

namespace conversation {
namespace {

class CheckpointTable : public testing::Test {
 protected:
  void SetUp() override {
    auto db = sqlite::Database::Open(directory_.File("x.db"), {});
    ASSERT_TRUE(db) << db.error().message;
    db_.emplace(*std::move(db));
    ASSERT_TRUE(sqlite::Migrate(*db_, {kCheckpointStep}));
  }
  base::Result<CheckpointRow> Save(const std::string& document, const std::string& id = "c",
                                   int64_t kept = 3) {
    return SaveCheckpoint(*db_, {.owner = "o\n",
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
    const auto rows = ListCheckpoints(*db_, "c", now_ms_);
    for (const CheckpointRow& row : *rows) numbers.push_back(row.generation);
    return numbers;
  }
  int64_t Number(const char* sql) {
    auto query = db_->Prepare(sql);
    return query && *query->Step() ? query->Int(0) : -1;
  }
  using Numbers = std::vector<int64_t>;

  const testing::TemporaryDirectory directory_;
  std::optional<sqlite::Database> db_;
  int64_t step_ = 0, now_ms_ = 10'000;
};

TEST_F(CheckpointTable, TheNewestGenerationsAreKept) {
  for (const char* document : {"{}", "{1}", "{2}", "{3}"}) ASSERT_TRUE(Save(document));
  ASSERT_TRUE(Save("{other}", "d"));
  EXPECT_EQ(Generations(), (Numbers{4, 3, 2}));
  EXPECT_EQ(*ReadCheckpoint(*db_, "c", 4), "{3}");
  EXPECT_EQ(ReadCheckpoint(*db_, "c", 1).error().code, base::Code::kNotFound);
  ASSERT_TRUE(Save("{4}", "c", 1));
  EXPECT_EQ(Generations(), (Numbers{5}));
}

TEST_F(CheckpointTable, WhatIsOverIsHiddenAtOnceAndRemovedLater) {
  ASSERT_TRUE(Save("{}"));
  now_ms_ += 999;
  EXPECT_EQ(Generations(), (Numbers{1}));
  now_ms_ += 1;
  EXPECT_EQ(Generations(), Numbers());
  EXPECT_EQ(*RemoveExpiredCheckpoints(*db_, now_ms_, 10), 0);
  ASSERT_TRUE(Save("{}"));
  EXPECT_EQ(Generations(), (Numbers{2})) << "no number is given twice";
  now_ms_ += 1000 + kKeepExpiredCheckpointMs;
  EXPECT_EQ(*RemoveExpiredCheckpoints(*db_, now_ms_, 10), 1);
  EXPECT_EQ(Number("SELECT count(*) FROM checkpoint_totals"), 0);
}

TEST_F(CheckpointTable, ARowThatTheDiskChangedIsNamed) {
  ASSERT_TRUE(Save("{sound}"));
  ASSERT_TRUE(Save("{changed}"));
  for (const char* change : {"document = '{chanced}'", "step = 7", "expires_ms = expires_ms + 1",
                             "sha256 = 'x'", "document = ''"}) {
    ASSERT_TRUE(db_->Execute("SAVEPOINT before"));
    const std::string sql =
        std::string("UPDATE checkpoints SET ") + change + " WHERE generation = 2";
    ASSERT_TRUE(db_->Execute(sql.c_str()));
    EXPECT_EQ(ReadCheckpoint(*db_, "c", 2).error().code, base::Code::kInternal) << change;
    EXPECT_EQ(db_->TakeUnsoundRows().size(), 1u) << change;
    ASSERT_TRUE(db_->Execute("ROLLBACK TO before"));
    ASSERT_TRUE(db_->Execute("RELEASE before"));
  }
  EXPECT_EQ(*ReadCheckpoint(*db_, "c", 2), "{changed}");
  EXPECT_EQ(*ReadCheckpoint(*db_, "c", 1), "{sound}");
}

TEST_F(CheckpointTable, AnOwnerHasALimit) {
  ASSERT_TRUE(Save("{}"));
  EXPECT_EQ(Number("SELECT bytes FROM checkpoint_totals"), 2 + kCheckpointRowBytes);
  ASSERT_TRUE(db_->Execute("UPDATE checkpoint_totals SET bytes = 268435456"));
  const auto refused = Save("{}", "d");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::Code::kFull);
}

}  // namespace
}  // namespace conversation
