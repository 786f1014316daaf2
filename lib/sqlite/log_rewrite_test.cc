// A log that cannot be taken into its file at the start. How a failed sync looks is
// e2e/crash/sync_errors.py.
#include "lib/sqlite/log_rewrite.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "lib/base/file.h"
#include "lib/sqlite/database.h"

namespace sqlite {
namespace {

class LogRewrite : public ::testing::Test {
 protected:
  LogRewrite() {
    std::string name = (std::filesystem::temp_directory_path() / "sqlite-XXXXXX").string();
    path_ = std::string(mkdtemp(name.data())) + "/x.db";
  }
  std::string path_;
};

TEST_F(LogRewrite, KeepsEveryByte) {
  EXPECT_TRUE(RewriteLog(path_)) << "there is none";
  std::string bytes;
  for (int i = 0; i < 100'000; ++i) bytes += static_cast<char>(i % 251);
  std::ofstream(path_) << bytes;
  EXPECT_TRUE(RewriteLog(path_));
  EXPECT_EQ(*base::ReadFile(path_), bytes);
}

TEST_F(LogRewrite, ALogThatAReaderHoldsIsWrittenOnAfterwards) {
  const std::string image = path_ + ".image";
  {
    auto writer = Database::Open(path_, {});
    ASSERT_TRUE(writer && writer->Execute("CREATE TABLE t(n); INSERT INTO t VALUES(1)"));
    for (const char* part : {"", "-wal"}) std::filesystem::copy_file(path_ + part, image + part);
  }
  // A life before that left its log, and somebody who reads it already.
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

}  // namespace
}  // namespace sqlite
