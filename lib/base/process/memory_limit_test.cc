// Tests that limits are found in both versions of cgroups, inside and outside of a container.
#include "lib/base/process/memory_limit.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "lib/testing/temporary_directory.h"

namespace base {
namespace {

class MemoryLimitTest : public ::testing::Test {
 protected:
  void Write(const std::string& file, const std::string& text) {
    std::filesystem::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  std::optional<int64_t> Limit() const {
    return MemoryLimit((root_ / "own").string(), (root_ / "fs").string());
  }
  const ::testing::TemporaryDirectory directory_;
  const std::filesystem::path root_ = directory_.path();
};

TEST_F(MemoryLimitTest, ContainerSeesItsCgroupAsRoot) {
  Write("own", "0::/\n");
  Write("fs/memory.max", "134217728\n");
  EXPECT_EQ(Limit(), 134217728);
}

TEST_F(MemoryLimitTest, LowestLimitOfAncestorsApplies) {
  Write("own", "0::/pods/pod7/main\n");
  Write("fs/pods/memory.max", "1000000\n");
  Write("fs/pods/pod7/memory.max", "400000\n");
  Write("fs/pods/pod7/main/memory.max", "max\n");
  EXPECT_EQ(Limit(), 400000);
}

TEST_F(MemoryLimitTest, ReadsCgroupVersionOne) {
  Write("own", "9:cpu,cpuacct:/a\n4:memory:/kubepods/pod7/main\n0::/\n");
  Write("fs/memory/memory.limit_in_bytes", "268435456\n");  // the path is the host's
  EXPECT_EQ(Limit(), 268435456);
  Write("fs/memory/kubepods/pod7/main/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(Limit(), 268435456);
}

TEST_F(MemoryLimitTest, WithoutLimitThereIsNone) {
  EXPECT_EQ(Limit(), std::nullopt);
  Write("own", "0::/\nnonsense\n");
  Write("fs/memory.max", "max\n");
  EXPECT_EQ(Limit(), std::nullopt);
}

TEST(ShareOfMemory, IsTheSettingElseAShare) {
  constexpr int64_t kMiB = 1 << 20;
  EXPECT_EQ(ShareOfMemory(7 * kMiB, 100 * kMiB, 40, kMiB), 7u * kMiB);
  EXPECT_EQ(ShareOfMemory(0, 100 * kMiB, 40, kMiB), 40u * kMiB);
  EXPECT_EQ(ShareOfMemory(0, std::nullopt, 25, 512 * kMiB), 512u * kMiB / 100 * 25);
  EXPECT_EQ(ShareOfMemory(0, kMiB, 10, kMiB), 1u * kMiB) << "not less";
  EXPECT_EQ(ShareOfMemory(0, int64_t{1} << 40, 40, kMiB), 1024u * kMiB) << "nor more";
}

}  // namespace
}  // namespace base
