// Chores that the writer runs behind its answers, and how it truncates the WAL for them.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <future>

#include "lib/sqlite/writer.h"
#include "lib/testing/temporary_directory.h"

namespace sqlite {
namespace {

using base::Code;
using base::Result;
using base::Status;
using Chore = Writer::Chore;
using Next = Writer::Chore::Next;

class WriterChores : public ::testing::Test {
 protected:
  Database Open() {
    auto database = Database::Open(path_, {});
    EXPECT_TRUE(database && database->Execute("CREATE TABLE IF NOT EXISTS t(n)"));
    return std::move(database).value();
  }
  static Status Insert(Database& database) { return database.Execute("INSERT INTO t VALUES(1)"); }
  int64_t LogBytes() const {
    struct stat facts {};
    return stat((path_ + "-wal").c_str(), &facts) == 0 ? facts.st_size : 0;
  }
  const testing::TemporaryDirectory directory_;
  const std::string path_ = directory_.File("x.db");
};

TEST_F(WriterChores, RunUntilNothingIsLeft) {
  std::promise<int> done;
  int steps = 0;
  Writer::Options options;
  options.chore = [&](Database&, const Writer::ChoreCall& call) -> Result<Chore> {
    if (call.closing) return Chore{};
    if (++steps < 5) return Chore{Next::kStep, std::chrono::milliseconds(steps)};
    if (steps == 5) done.set_value(steps);
    return Chore{};
  };
  Writer writer(Open(), options);
  EXPECT_EQ(done.get_future().get(), 5);
  EXPECT_TRUE(writer.RunAny(Insert));
  writer.Stop();
  EXPECT_EQ(steps, 6) << "a commit may have left something to do";
}

TEST_F(WriterChores, LogIsEmptiedOnceReadersEnd) {
  Database database = Open();
  auto reader = Database::Open(path_, {Access::kReader});
  ASSERT_TRUE(reader && reader->Execute("BEGIN; SELECT count(*) FROM t"));
  std::promise<void> asked, emptied;
  int calls = 0;
  int64_t bytes = -1;
  Writer::Options options;
  options.chore = [&](Database&, const Writer::ChoreCall& call) -> Result<Chore> {
    if (call.closing || bytes >= 0) return Chore{};
    if (call.log_emptied) {
      bytes = LogBytes();
      emptied.set_value();
      return Chore{};
    }
    if (++calls == 3) asked.set_value();
    return Chore{Next::kEmptyLog};
  };
  Writer writer(std::move(database), options);
  asked.get_future().wait();
  EXPECT_TRUE(writer.RunAny(Insert));
  EXPECT_GT(LogBytes(), 0);
  EXPECT_EQ(bytes, -1);
  ASSERT_TRUE(reader->Execute("ROLLBACK"));
  emptied.get_future().wait();
  writer.Stop();
  EXPECT_EQ(bytes, 0);
}

TEST_F(WriterChores, FailedChoreIsRetriedLater) {
  int calls = 0;
  Writer::Options options;
  options.chore = [&](Database&, const Writer::ChoreCall&) -> Result<Chore> {
    ++calls;
    return base::Error{Code::kInternal, "it does not work"};
  };
  const auto begin = std::chrono::steady_clock::now();
  Writer writer(Open(), options);
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(writer.RunAny(Insert));
  writer.Stop();
  EXPECT_FALSE(writer.Failed());
  const auto took = std::chrono::steady_clock::now() - begin;
  EXPECT_LE(calls, 3 + took / std::chrono::seconds(1))
      << "at the start, and when it closes; a second passes in between";
}

TEST_F(WriterChores, RunAtTheLatestWhenTheFileCloses) {
  int steps = 0;
  Writer::Options options;
  options.chore = [&](Database&, const Writer::ChoreCall& call) -> Result<Chore> {
    if (!call.closing) return Chore{Next::kStep, std::chrono::hours(1)};
    if (++steps < 3) return Chore{Next::kStep};
    if (steps == 3) return Chore{Next::kEmptyLog};
    EXPECT_TRUE(call.log_emptied);
    return Chore{};
  };
  Writer writer(Open(), options);
  EXPECT_TRUE(writer.RunAny(Insert));
  writer.Stop();
  EXPECT_EQ(steps, 4);
}

}  // namespace
}  // namespace sqlite
