// Replaced files and locks of directories, also where another user planted files and links.
#include "lib/base/process/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>

#include "lib/base/process/clock.h"
#include "lib/testing/temporary_directory.h"

namespace base {
namespace {

using ::testing::TemporaryDirectory;

TEST(File, ReplacementIsAtomic) {
  const TemporaryDirectory directory;
  const std::string path = directory.File("x");
  EXPECT_EQ(ReadFile(path).error().code, Code::kNotFound);
  ASSERT_TRUE(ReplaceFile(path, "one"));
  ASSERT_TRUE(ReplaceFile(path, "two"));
  EXPECT_EQ(*ReadFile(path), "two");
  EXPECT_EQ(ReadFile(path, 2).error().code, Code::kTooLarge);
}

// Files and links that another user may plant at an expected temporary name.
void Plant(const std::string& kind, const std::string& at, const std::string& victim) {
  namespace fs = std::filesystem;
  if (kind == "link") fs::create_symlink(victim, at);
  if (kind == "dangling link") fs::create_symlink(victim + ".none", at);
  if (kind == "hard link") fs::create_hard_link(victim, at);
  if (kind == "folder") fs::create_directory(at);
  if (kind == "pipe") {
    ASSERT_EQ(mkfifo(at.c_str(), 0600), 0);
  }
}

TEST(File, ReplacementFollowsNoPlantedLink) {
  for (const std::string kind : {"link", "dangling link", "hard link", "folder", "pipe"}) {
    for (const std::string mark : {".new", ".new-XXXXXX", ".part", ".tmp", "~"}) {
      SCOPED_TRACE(kind + mark);
      const TemporaryDirectory directory;
      const std::string victim = directory.Write("victim", "theirs"), path = directory.File("x");
      Plant(kind, path + mark, victim);
      ASSERT_TRUE(ReplaceFile(path, "ours"));
      EXPECT_EQ(*ReadFile(path), "ours");
      EXPECT_EQ(*ReadFile(victim), "theirs");
      EXPECT_FALSE(std::filesystem::exists(victim + ".none"));
      struct stat facts {};
      ASSERT_EQ(lstat(path.c_str(), &facts), 0);
      EXPECT_EQ(facts.st_mode, S_IFREG | 0600u);
    }
  }
}

TEST(File, FailedReplacementLeavesNoFile) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory.File("x"));
  EXPECT_FALSE(ReplaceFile(directory.File("x"), "one"));
  const std::filesystem::directory_iterator entries(directory.path());
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST(DirectoryLock, RefusesSecondHolderAndNamesFirst) {
  const TemporaryDirectory made;
  const std::string& directory = made.path();
  auto first = DirectoryLock::Acquire(directory, 0);
  ASSERT_TRUE(first);
  auto second = DirectoryLock::Acquire(directory, 30);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::kConflict);
  EXPECT_NE(second.error().message.find("pid " + std::to_string(getpid())), std::string::npos);
}

TEST(DirectoryLock, IsFreeAfterHolderDied) {
  const TemporaryDirectory made;
  const std::string& directory = made.path();
  pid_t child = fork();
  if (child == 0) {
    auto lock = DirectoryLock::Acquire(directory, 0);
    kill(getpid(), SIGKILL);
  }
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(DirectoryLock::Acquire(directory, 0));
}

TEST(DirectoryLock, RefusesWorldWritableDirectory) {
  const TemporaryDirectory made;
  const std::string& directory = made.path();
  ASSERT_EQ(chmod(directory.c_str(), 0777), 0);
  auto refused = DirectoryLock::Acquire(directory, 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kInvalid);
  EXPECT_NE(refused.error().message.find("run: chmod o-w " + directory), std::string::npos);
  ASSERT_EQ(chmod(directory.c_str(), 02770), 0);
  EXPECT_TRUE(DirectoryLock::Acquire(directory, 0)) << "as a volume with an fsGroup is";
  // Kubernetes makes the root of an emptyDir volume with mode 0777.
  struct stat root {
  }, above{};
  if (stat("/dev/shm", &root) != 0 || stat("/dev", &above) != 0 || root.st_dev == above.st_dev)
    GTEST_SKIP() << "/dev/shm is no volume here";
  auto volume = DirectoryLock::Acquire("/dev/shm", 0);
  EXPECT_TRUE(volume || volume.error().code != Code::kInvalid) << volume.error().message;
  if (volume) unlink("/dev/shm/lock");
}

TEST(DirectoryLock, FollowsNoLink) {
  const TemporaryDirectory made, other;
  const std::string &directory = made.path(), theirs = other.File("kept");
  ASSERT_TRUE(ReplaceFile(theirs, "theirs"));
  ASSERT_EQ(symlink(theirs.c_str(), (directory + "/lock").c_str()), 0);
  EXPECT_FALSE(DirectoryLock::Acquire(directory, 0));
  EXPECT_EQ(*ReadFile(theirs), "theirs");
}

}  // namespace
}  // namespace base
