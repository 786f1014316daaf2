// Targets of an export beside files that another user planted.
#include "memory/commands/targets.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "lib/base/archive/tar.h"
#include "lib/base/process/file.h"
#include "lib/testing/temporary_directory.h"

namespace memory {
namespace {

namespace fs = std::filesystem;

// Puts something at `at` that leads to `victim`, as far as the kind can.
void PlantAt(const std::string& kind, const std::string& at, const std::string& victim) {
  if (kind == "link") fs::create_symlink(victim, at);
  if (kind == "dangling link") fs::create_symlink(victim + ".none", at);
  if (kind == "link to a folder") fs::create_directory_symlink(fs::path(victim).parent_path(), at);
  if (kind == "hard link") fs::create_hard_link(victim, at);
  if (kind == "folder") fs::create_directory(at);
  if (kind == "pipe") {
    ASSERT_EQ(mkfifo(at.c_str(), 0600), 0);
  }
}

constexpr const char* kPlanted[] = {"link",      "dangling link", "link to a folder",
                                    "hard link", "folder",        "pipe"};

class TargetsTest : public ::testing::Test {
 protected:
  // What is in the scratch folder, apart from the planted file.
  void ExpectUntouched() {
    EXPECT_EQ(*base::ReadFile(victim_), "theirs");
    EXPECT_FALSE(fs::exists(victim_ + ".none"));
    const fs::directory_iterator entries(fs::path(victim_).parent_path());
    EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
  }
  void SetUp() override {
    fs::create_directory(scratch_.File("theirs"));
    victim_ = scratch_.Write("theirs/victim", "theirs");
  }

  const testing::TemporaryDirectory scratch_;
  std::string victim_;
};

TEST_F(TargetsTest, FileFollowsNoPlantedLink) {
  for (const std::string kind : kPlanted) {
    for (const std::string mark : {".part", ".part-XXXXXX", ".new"}) {
      SCOPED_TRACE(kind + mark);
      const std::string path = scratch_.File("x");
      PlantAt(kind, path + mark, victim_);
      {
        auto target = OpenFileTarget(path);
        ASSERT_TRUE(target) << target.error().message;
        ASSERT_TRUE((*target)->Write("ours"));
        ASSERT_TRUE((*target)->Finish());
      }
      EXPECT_EQ(*base::ReadFile(path), "ours");
      EXPECT_FALSE(fs::is_symlink(path));
      ExpectUntouched();
      fs::remove(path);
      fs::remove_all(path + mark);
    }
  }
}

TEST_F(TargetsTest, FolderFollowsNoPlantedLink) {
  const std::string archive = base::TarFile("a/b.md", "ours", 0);
  for (const std::string kind : kPlanted) {
    SCOPED_TRACE(kind);
    const std::string path = scratch_.File("vault");
    PlantAt(kind, path + ".part", victim_);
    {
      auto target = OpenFolderTarget(path);
      ASSERT_TRUE(target) << target.error().message;
      ASSERT_TRUE((*target)->Write(archive));
      ASSERT_TRUE((*target)->Finish());
    }
    EXPECT_EQ(*base::ReadFile(path + "/a/b.md"), "ours");
    ExpectUntouched();
    fs::remove_all(path);
    fs::remove_all(path + ".part");
  }
}

TEST_F(TargetsTest, LinkAsTargetIsRefused) {
  for (const std::string kind : {"link", "dangling link", "link to a folder", "hard link"}) {
    SCOPED_TRACE(kind);
    const std::string path = scratch_.File("x");
    PlantAt(kind, path, victim_);
    EXPECT_EQ(OpenFileTarget(path).error().code, base::Code::kConflict);
    EXPECT_EQ(OpenFolderTarget(path).error().code, base::Code::kConflict);
    ExpectUntouched();
    fs::remove(path);
  }
}

TEST_F(TargetsTest, UnfinishedTargetLeavesNothing) {
  {
    auto file = OpenFileTarget(scratch_.File("x"));
    auto folder = OpenFolderTarget(scratch_.File("vault"));
    ASSERT_TRUE(file && folder);
    ASSERT_TRUE((*file)->Write("half"));
  }
  const fs::directory_iterator entries(scratch_.path());
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1) << "only theirs";
}

}  // namespace
}  // namespace memory
