// A row is sound while nothing of it changed; each changed bit, type and border between values
// makes it unsound.
#include <gtest/gtest.h>

#include "lib/sqlite/database.h"
#include "lib/testing/temporary_directory.h"

namespace sqlite {
namespace {

class RowChecksums : public ::testing::Test {
 protected:
  RowChecksums() {
    auto opened = Database::Open(directory_.File("x.db"), {});
    EXPECT_TRUE(opened) << opened.error().message;
    db_.emplace(std::move(*opened));
    EXPECT_TRUE(db_->Execute("CREATE TABLE t(n INTEGER PRIMARY KEY, a, b, checksum INTEGER)"));
  }
  bool Sound() {
    auto query = db_->Prepare("SELECT row_is_sound('t', n, checksum, a, b) FROM t");
    EXPECT_TRUE(query && *query->Step());
    return query->Int(0) == 1;
  }
  void Change(const char* sql) { ASSERT_TRUE(db_->Execute(sql)) << sql; }

  const testing::TemporaryDirectory directory_;
  std::optional<Database> db_;
};

TEST_F(RowChecksums, EveryBitOfATextCounts) {
  const std::string text = "an acknowledged text 日本語";
  for (size_t bit = 0; bit < text.size() * 8; ++bit) {
    SCOPED_TRACE(bit);
    Change("DELETE FROM t");
    auto insert = db_->Prepare("INSERT INTO t VALUES(7, ?1, 5, row_checksum(?1, 5))");
    ASSERT_TRUE(insert->Bind(text).Run());
    EXPECT_TRUE(Sound());
    std::string changed = text;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
    auto update = db_->Prepare("UPDATE t SET a = ?");
    ASSERT_TRUE(update->Bind(changed).Run());
    ASSERT_FALSE(Sound());
  }
  const auto rows = db_->TakeUnsoundRows();
  ASSERT_EQ(rows.size(), text.size() * 8);
  EXPECT_EQ(rows[0].table, "t");
  EXPECT_EQ(rows[0].rowid, 7);
  EXPECT_TRUE(db_->TakeUnsoundRows().empty());
}

TEST_F(RowChecksums, TypesAndBordersCount) {
  Change("INSERT INTO t VALUES(1, 'ab', 'c', row_checksum('ab', 'c'))");
  EXPECT_TRUE(Sound());
  for (const char* changed :
       {"UPDATE t SET a = 'a', b = 'bc'", "UPDATE t SET a = 'ab', b = NULL",
        "UPDATE t SET a = 'ab', b = ''", "UPDATE t SET a = 'ab', b = x'63'"}) {
    Change(changed);
    EXPECT_FALSE(Sound()) << changed;
  }
  Change("UPDATE t SET a = 1, b = NULL, checksum = row_checksum(1, NULL)");
  EXPECT_TRUE(Sound());
  Change("UPDATE t SET a = '1'");
  EXPECT_FALSE(Sound());
}

TEST_F(RowChecksums, RowWithoutChecksumIsAccepted) {
  Change("INSERT INTO t VALUES(1, 'a', 'b', NULL)");
  EXPECT_TRUE(Sound());
  EXPECT_TRUE(db_->TakeUnsoundRows().empty());
}

}  // namespace
}  // namespace sqlite
