// A WAL that cannot be checkpointed at the start, and sometimes not rewritten either: RLIMIT_FSIZE
// and /dev/full fail the writes. e2e/crash/sync_errors.py tests failed syncs.
#include "lib/sqlite/log_rewrite.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "lib/base/process/file.h"
#include "lib/sqlite/database.h"
#include "lib/testing/temporary_directory.h"

namespace sqlite {
namespace {

// During its lifetime, writes beyond `bytes` of a file fail with EFBIG.
class ShortFiles {
 public:
  explicit ShortFiles(rlim_t bytes) : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    EXPECT_EQ(getrlimit(RLIMIT_FSIZE, &before_), 0);
    const rlimit less{bytes, before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &less), 0);
  }
  ~ShortFiles() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, signal_);
  }

 private:
  rlimit before_{};
  void (*signal_)(int);
};

class LogRewrite : public ::testing::Test {
 protected:
  // A file with a WAL of at least `bytes`, as a killed process leaves them. → its path
  std::string Image(int64_t log_bytes) {
    const std::string image = path_ + ".image";
    auto writer = Database::Open(path_, {});
    EXPECT_TRUE(writer && writer->Execute("CREATE TABLE t(n); INSERT INTO t VALUES(1)"));
    while (writer->LogBytes() < log_bytes) EXPECT_TRUE(writer->Execute("UPDATE t SET n = n + 1"));
    for (const char* part : {"", "-wal"}) std::filesystem::copy_file(path_ + part, image + part);
    return image;
  }
  const testing::TemporaryDirectory directory_;
  const std::string path_ = directory_.File("x.db");
};

TEST_F(LogRewrite, KeepsEveryByte) {
  EXPECT_TRUE(RewriteLog(path_)) << "there is none";
  std::string bytes;
  for (int i = 0; i < 100'000; ++i) bytes += static_cast<char>(i % 251);
  std::ofstream(path_) << bytes;
  EXPECT_TRUE(RewriteLog(path_));
  EXPECT_EQ(*base::ReadFile(path_), bytes);
}

TEST_F(LogRewrite, LogHeldByAReaderIsRewrittenLater) {
  const std::string image = Image(0);
  // An earlier process left its WAL, and a reader uses it already.
  auto reader = Database::Open(image, {Access::kReader});
  ASSERT_TRUE(reader && reader->Execute("BEGIN; SELECT count(*) FROM t"));
  const auto before = std::filesystem::file_size(image + "-wal");
  auto next = Database::Open(image, {});
  ASSERT_TRUE(next) << next.error().message;
  EXPECT_EQ(std::filesystem::file_size(image + "-wal"), before);
  ASSERT_TRUE(next->Execute("INSERT INTO t VALUES(2)"));
  auto count = next->Prepare("SELECT count(*) FROM t");
  ASSERT_TRUE(count && *count->Step());
  EXPECT_EQ(count->Int(0), 2);
}

TEST_F(LogRewrite, FailedWriteIsNoRewrite) {
  const base::Status full = RewriteLog("/dev/full");
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, base::Code::kFull);
  std::ofstream(path_) << std::string(100'000, 'x');
  const ShortFiles limit(70'000);  // fails the second piece
  const base::Status broken = RewriteLog(path_);
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, base::Code::kInternal);
  EXPECT_NE(broken.error().message.find(path_), std::string::npos) << broken.error().message;
}

TEST_F(LogRewrite, FileWithUnwritableLogIsNotOpened) {
  const std::string image = Image(200'000);
  auto reader = Database::Open(image, {Access::kReader});
  ASSERT_TRUE(reader && reader->Execute("BEGIN; SELECT count(*) FROM t"));
  int told = 0;
  Database::Options options;
  options.on_broken = [&](const base::Error&) { ++told; };
  {
    const ShortFiles limit(100'000);  // more than the file and its wal-index have
    auto next = Database::Open(image, options);
    ASSERT_FALSE(next);
    EXPECT_NE(next.error().message.find("recover: "), std::string::npos) << next.error().message;
    EXPECT_EQ(told, 1);
  }
  EXPECT_TRUE(Database::Open(image, options)) << "nothing was lost by it";
}

}  // namespace
}  // namespace sqlite
