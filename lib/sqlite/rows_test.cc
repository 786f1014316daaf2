// Reads the rows of a statement: to the end, until a callback ends the loop, or the first only.
#include <gtest/gtest.h>

#include "lib/sqlite/database.h"
#include "lib/testing/temporary_directory.h"

namespace sqlite {
namespace {

using base::Code;
using base::Error;
using base::Result;
using base::Status;

class Rows : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = Database::Open(directory.File("x.db"), {});
    ASSERT_TRUE(opened) << opened.error().message;
    database.emplace(std::move(*opened));
    ASSERT_TRUE(database->Execute("CREATE TABLE t(n, s); INSERT INTO t VALUES(1,'a'),(2,'b')"));
  }
  Statement Read(std::string_view sql = "SELECT n, s FROM t ORDER BY n") {
    auto statement = database->Prepare(sql);
    EXPECT_TRUE(statement) << statement.error().message;
    return std::move(*statement);
  }
  const testing::TemporaryDirectory directory;
  std::optional<Database> database;
};

TEST_F(Rows, CallbackGetsRowsUntilItStops) {
  std::string seen;
  ASSERT_TRUE(Read().ForEachRow([&](const Statement& row) { seen += row.Text(1); }));
  EXPECT_EQ(seen, "ab");
  ASSERT_TRUE(Read().ForEachRow([&](const Statement& row) {
    seen += row.Text(1);
    return false;
  }));
  EXPECT_EQ(seen, "aba");
  ASSERT_TRUE(Read().ForEachRow([&](const Statement& row) -> Result<bool> {
    seen += row.Text(1);
    return row.Int(0) < 2;
  }));
  EXPECT_EQ(seen, "abaab");
}

TEST_F(Rows, ErrorEndsTheLoop) {
  int calls = 0;
  Status ended = Read().ForEachRow([&](const Statement&) -> Status {
    ++calls;
    return Error{Code::kFull, "enough"};
  });
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Code::kFull);
  EXPECT_EQ(calls, 1);
  const char* overflows = "SELECT abs(CASE n WHEN 2 THEN -9223372036854775808 ELSE n END) FROM t";
  EXPECT_FALSE(Read(overflows).ReadAll([](const Statement& row) { return row.Int(0); }));
}

TEST_F(Rows, ReadAllAndReadFirstReturnValues) {
  auto number = [](const Statement& row) { return row.Int(0); };
  EXPECT_EQ(*Read().ReadAll(number), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(*Read().ReadFirst(number), std::optional<int64_t>(1));
  EXPECT_EQ(*Read("SELECT n FROM t WHERE n > 2").ReadFirst(number), std::nullopt);
  EXPECT_TRUE(Read("SELECT n FROM t WHERE n > 2").ReadAll(number)->empty());
}

TEST_F(Rows, UnsetNumberIsBoundAsNull) {
  Statement read = Read("SELECT ?1 IS NULL, ?2");
  read.Bind(std::optional<int64_t>()).Bind(std::optional<int64_t>(7));
  ASSERT_TRUE(*read.Step());
  EXPECT_EQ(read.Int(0), 1);
  EXPECT_EQ(read.Int(1), 7);
}

}  // namespace
}  // namespace sqlite
