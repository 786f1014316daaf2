// The WAL has a limit while readers hold it. Real files; counts bytes.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "lib/sqlite/writer.h"
#include "lib/testing/eventually.h"
#include "lib/testing/temporary_directory.h"

namespace sqlite {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr int64_t kLimit = 1 << 20, kBlob = 40'000;

class WriterLog : public ::testing::Test {
 protected:
  std::unique_ptr<Writer> Open(Writer::Options options = {}) {
    auto database = Database::Open(path_, {});
    EXPECT_TRUE(database && database->Execute("CREATE TABLE IF NOT EXISTS t(n)"));
    options.max_log_bytes = kLimit;
    options.checkpoint_pages = 32;
    return std::make_unique<Writer>(std::move(*database), options);
  }
  Database Hold() {
    auto reader = Database::Open(path_, {Access::kReader});
    EXPECT_TRUE(reader && reader->Execute("BEGIN; SELECT count(*) FROM t"));
    return std::move(*reader);
  }
  static Status Write(Writer& writer, Writer::Space space = Writer::Space::kConsumes) {
    return writer.RunAny(
        [](Database& db) { return db.Execute("INSERT INTO t VALUES(zeroblob(40000))"); }, space);
  }
  // → the number of writes before one is refused, at most 1,000.
  static int WriteUntilRefused(Writer& writer, Writer::Space space = Writer::Space::kConsumes) {
    int written = 0;
    while (written < 1000 && Write(writer, space)) ++written;
    return written;
  }
  int64_t LogBytes() const {
    struct stat facts {};
    return stat((path_ + "-wal").c_str(), &facts) == 0 ? facts.st_size : 0;
  }
  const testing::TemporaryDirectory directory_;
  const std::string path_ = directory_.File("x.db");
};

TEST_F(WriterLog, StaysShortWithoutReaders) {
  auto writer = Open();
  int64_t longest = 0;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(Write(*writer));
    longest = std::max(longest, LogBytes());
  }
  EXPECT_LT(longest, kLimit / 2);
}

TEST_F(WriterLog, GivesItsSpaceBackWhileWritesAreRefused) {
  std::atomic<bool> is_short = false;
  Writer::Options options;
  options.admit = [&](int64_t) {
    return is_short ? Status(base::Error{Code::kFull, "no space"}) : Status();
  };
  auto writer = Open(options);
  ASSERT_TRUE(Write(*writer));
  EXPECT_GT(LogBytes(), 0);
  is_short = true;
  ASSERT_TRUE(writer->RunAny([](Database& db) { return db.Execute("DELETE FROM t"); },
                             Writer::Space::kFrees));
  const auto after_batch = [](Database&) -> Result<bool> { return true; };
  ASSERT_TRUE(writer->RunSteps(after_batch));
  EXPECT_EQ(LogBytes(), 0);
}

// max_page_count stands in for a full disk.
class FullDisk : public WriterLog {
 protected:
  // → the length of the WAL when the delete of a full disk runs again; nullopt if it failed.
  std::optional<int64_t> Delete(Writer& writer) {
    std::vector<int64_t> lengths;
    const Status deleted = writer.RunAny(
        [&](Database& db) -> Status {
          lengths.push_back(LogBytes());
          return db.Execute(lengths.size() > 1 ? "DELETE FROM t"
                                               : "PRAGMA max_page_count=16;"
                                                 "INSERT INTO t VALUES(zeroblob(400000))");
        },
        Writer::Space::kFrees);
    if (!deleted || lengths.size() != 2) return std::nullopt;
    EXPECT_GT(lengths[0], 0);
    return lengths[1];
  }
};

TEST_F(FullDisk, DeleteEndsASlowReader) {
  std::optional<Database> reader;
  Writer::Options options;
  options.on_log_held = [&] { reader.reset(); };
  auto writer = Open(options);
  ASSERT_TRUE(Write(*writer));
  reader = Hold();
  EXPECT_EQ(Delete(*writer), 0);
}

TEST_F(WriterLog, LogHeldByAReaderRefusesWrites) {
  std::atomic<int> held = 0;
  std::atomic<int64_t> told = -1, told_when_held = -1;
  Writer::Options options;
  options.on_log_held = [&] {
    if (held++ == 0) told_when_held = told.load();
  };
  options.on_log = [&](int64_t bytes) { told = bytes; };
  auto writer = Open(options);
  ASSERT_TRUE(Write(*writer));
  Database reader = Hold();
  EXPECT_LT(WriteUntilRefused(*writer), 30);
  EXPECT_LE(LogBytes(), kLimit + 3 * kBlob);
  auto refused = Write(*writer);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kUnavailable);
  for (const char* part : {"log", "max-log", "1048576"})
    EXPECT_NE(refused.error().message.find(part), std::string::npos) << refused.error().message;
  EXPECT_TRUE(testing::Eventually([&] { return held > 0; }));  // after the answer
  EXPECT_GE(told_when_held, kLimit) << "who is refused finds the length in the figures";
  // Items that free space continue, up to twice the limit.
  EXPECT_GT(WriteUntilRefused(*writer, Writer::Space::kFrees), 10);
  EXPECT_LE(LogBytes(), 2 * kLimit + 3 * kBlob);
  EXPECT_FALSE(writer->Failed());
  ASSERT_TRUE(reader.Execute("ROLLBACK"));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!Write(*writer) && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT_TRUE(Write(*writer)) << "without any call that would empty it";
  EXPECT_LT(LogBytes(), kLimit);
  EXPECT_EQ(told, 0);
}

// Two readers take turns: each begins before the other ends.
class ReaderChain {
 public:
  explicit ReaderChain(const std::string& path)
      : thread_([this, path](const std::stop_token& stop) { Read(path, stop); }) {
    while (turns_ < 1) std::this_thread::yield();
  }
  int turns() const { return turns_; }
  // Waits until both readers have begun anew.
  bool AwaitTurns() const {
    const int before = turns_;
    return testing::Eventually([&] { return turns_ >= before + 2; });
  }

 private:
  void Read(const std::string& path, const std::stop_token& stop) {
    auto now = Database::Open(path, {Access::kReader}),
         next = Database::Open(path, {Access::kReader});
    ASSERT_TRUE(now && next && now->Execute(kBegin));
    for (; !stop.stop_requested(); ++turns_) {
      ASSERT_TRUE(next->Execute(kBegin));
      ASSERT_TRUE(now->Execute("ROLLBACK"));
      std::swap(now, next);
    }
  }
  static constexpr const char* kBegin = "BEGIN; SELECT count(*) FROM t";
  std::atomic<int> turns_ = 0;
  std::jthread thread_;
};

TEST_F(WriterLog, ConsecutiveReadersRefuseNoWrite) {
  auto writer = Open();
  ASSERT_TRUE(Write(*writer));
  const ReaderChain readers(path_);
  const int before = readers.turns();
  int64_t longest = 0;
  for (int i = 0; i < 100; ++i) {
    const Status written = Write(*writer);
    ASSERT_TRUE(written) << i << ": " << written.error().message;
    longest = std::max(longest, LogBytes());
    ASSERT_TRUE(readers.AwaitTurns());  // one that stands still would hold the log
  }
  EXPECT_GT(readers.turns(), before);
  EXPECT_LT(longest, kLimit + 3 * kBlob);
}

TEST_F(WriterLog, StepsRunBetweenBatchesAndEndWithTheWriter) {
  auto writer = Open();
  int steps = 0;
  EXPECT_TRUE(writer->RunSteps([&](Database&) -> Result<bool> { return ++steps == 5; }));
  EXPECT_EQ(steps, 5);
  auto failed = writer->RunSteps([](Database&) -> Result<bool> {
    return base::Error{Code::kInternal, "no"};
  });
  EXPECT_EQ(failed.error().message, "no");
  std::thread endless([&] {
    auto ended = writer->RunSteps([](Database&) -> Result<bool> { return false; });
    EXPECT_EQ(ended.error().code, Code::kUnavailable);
  });
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(Write(*writer));
  writer->Stop();
  endless.join();
  EXPECT_FALSE(writer->RunSteps([](Database&) -> Result<bool> { return true; }));
}

}  // namespace
}  // namespace sqlite
