// Files that are replaced, and locks of directories, beside what another user planted there.
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

TEST(File, IsReplacedWhole) {
  const TemporaryDirectory directory;
  const std::string path = directory.File("x");
  EXPECT_EQ(ReadFile(path).error().code, Code::kNotFound);
  ASSERT_TRUE(ReplaceFile(path, "one"));
  ASSERT_TRUE(ReplaceFile(path, "two"));
  EXPECT_EQ(*ReadFile(path), "two");
  EXPECT_EQ(ReadFile(path, 2).error().code, Code::kTooLarge);
}

// What another user may put where a temporary name was expected.
void Plant(const std::string& kind, const std::string& at, const std::string& victim) {
  namespace fs = std::filesystem;
  if (kind == "link") fs::create_symlink(victim, at);
  if (kind == "dangling link") fs::create_symlink(victim + ".none", at);
  if (kind == "hard link") fs::create_hard_link(victim, at);
  if (kind == "folder") fs::create_directory(at);
  if (kind == "pipe") ASSERT_EQ(mkfifo(at.c_str(), 0600), 0);
}

TEST(File, IsReplacedWithoutFollowingWhatWasPlanted) {
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

TEST(File, LeavesNothingBesideWhenItCannotBeReplaced) {
  const TemporaryDirectory directory;
  std::filesystem::create_directory(directory.File("x"));
  EXPECT_FALSE(ReplaceFile(directory.File("x"), "one"));
  const std::filesystem::directory_iterator entries(directory.path());
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST(DirectoryLock, RefusesTheSecondAndNamesTheHolder) {
  const TemporaryDirectory made;
  const std::string& directory = made.path();
  auto first = DirectoryLock::Take(directory, 0);
  ASSERT_TRUE(first);
  auto second = DirectoryLock::Take(directory, 30);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::kConflict);
  EXPECT_NE(second.error().message.find("pid " + std::to_string(getpid())), std::string::npos);
}

TEST(DirectoryLock, IsFreeWhenTheHolderDied) {
  const TemporaryDirectory made;
  const std::string& directory = made.path();
  pid_t child = fork();
  if (child == 0) {
    auto lock = DirectoryLock::Take(directory, 0);
    kill(getpid(), SIGKILL);
  }
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(DirectoryLock::Take(directory, 0));
}

TEST(DirectoryLock, RefusesADirectoryWhereEveryUserMayWrite) {
  const TemporaryDirectory made;
  const std::string& directory = made.path();
  ASSERT_EQ(chmod(directory.c_str(), 0777), 0);
  auto refused = DirectoryLock::Take(directory, 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kInvalid);
  EXPECT_NE(refused.error().message.find("run: chmod o-w " + directory), std::string::npos);
  ASSERT_EQ(chmod(directory.c_str(), 02770), 0);
  EXPECT_TRUE(DirectoryLock::Take(directory, 0)) << "as a volume with an fsGroup is";
  // Kubernetes makes the root of an emptyDir volume with mode 0777.
  struct stat root {
  }, above{};
  if (stat("/dev/shm", &root) != 0 || stat("/dev", &above) != 0 || root.st_dev == above.st_dev)
    GTEST_SKIP() << "/dev/shm is no volume here";
  auto volume = DirectoryLock::Take("/dev/shm", 0);
  EXPECT_TRUE(volume || volume.error().code != Code::kInvalid) << volume.error().message;
  if (volume) unlink("/dev/shm/lock");
}

TEST(DirectoryLock, DoesNotFollowALink) {
  const TemporaryDirectory made, other;
  const std::string &directory = made.path(), theirs = other.File("kept");
  ASSERT_TRUE(ReplaceFile(theirs, "theirs"));
  ASSERT_EQ(symlink(theirs.c_str(), (directory + "/lock").c_str()), 0);
  EXPECT_FALSE(DirectoryLock::Take(directory, 0));
  EXPECT_EQ(*ReadFile(theirs), "theirs");
}

}  // namespace
}  // namespace base
