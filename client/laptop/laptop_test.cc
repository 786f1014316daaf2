// Repositories and their names, the folder of this machine, and the policy of a sidecar.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "client/laptop/home.h"
#include "client/laptop/project_files.h"
#include "client/laptop/repository.h"
#include "client/programs/running_program.h"
#include "lib/base/process/file.h"
#include "lib/testing/temporary_directory.h"

namespace client {
namespace {

namespace fs = std::filesystem;

struct LaptopTest : testing::Test {
  const testing::TemporaryDirectory directory;
  const fs::path folder = fs::canonical(directory.path());
  fs::path Make(const std::string& path) {
    fs::create_directories(folder / path);
    return folder / path;
  }
  Home HomeAt(const std::string& path) {
    const base::Program program{"t", "t", {HomeSetting()}, ""};
    const auto read = base::ReadCommandLine(program, {"t", "--home", (folder / path).string()}, {});
    return *Home::Find(read.settings);
  }
};

TEST_F(LaptopTest, ARepositoryIsTheNearestOneUpwards) {
  Make("a/.git");
  const fs::path inner = Make("a/b/c");
  EXPECT_EQ(RepositoryOf(inner.string())->root, (folder / "a").string());
  EXPECT_TRUE(RepositoryOf(inner.string())->versioned);
  Make("a/b/.git");
  EXPECT_EQ(RepositoryOf(inner.string())->root, (folder / "a/b").string());
  const fs::path plain = Make("plain");
  EXPECT_EQ(RepositoryOf(plain.string())->root, plain.string());
  EXPECT_FALSE(RepositoryOf(plain.string())->versioned);
  fs::create_directory_symlink(inner, folder / "link");
  EXPECT_EQ(RepositoryOf((folder / "link").string())->root, (folder / "a/b").string());
  EXPECT_FALSE(RepositoryOf((folder / "gone").string()));
}

TEST_F(LaptopTest, AWorktreeBelongsToItsRepositoryAndASubmoduleToItself) {
  const fs::path main = Make("main");
  Make("main/.git/worktrees/tree");
  const fs::path tree = Make("tree"), module = Make("main/module");
  ASSERT_TRUE(base::ReplaceFile((tree / ".git").string(),
                                "gitdir: " + (main / ".git/worktrees/tree").string() + "\n"));
  ASSERT_TRUE(base::ReplaceFile((module / ".git").string(), "gitdir: ../.git/modules/module\n"));
  EXPECT_EQ(RepositoryOf(tree.string())->root, tree.string()) << "main does not know it";
  ASSERT_TRUE(base::ReplaceFile((main / ".git/worktrees/tree/gitdir").string(),
                                (tree / ".git").string() + "\n"));
  EXPECT_EQ(RepositoryOf(tree.string())->root, main.string());
  EXPECT_EQ(RepositoryOf(module.string())->root, module.string());
}

TEST(ProjectNames, AreWhatAServerTakes) {
  const auto none = [](const std::string&) { return false; };
  const auto all = [](const std::string&) { return true; };
  EXPECT_EQ(ProjectName("/src/My Billing", none), "my-billing");
  EXPECT_EQ(ProjectName("/src/日本", none), "project");
  EXPECT_EQ(ProjectName("/", none), "project");
  EXPECT_EQ(ProjectName("/" + std::string(300, 'x'), none).size(), 100U);
  EXPECT_NE(ProjectName("/a/x", all), ProjectName("/b/x", all));
  EXPECT_TRUE(ProjectName("/a/x", all).starts_with("x-"));
}

TEST_F(LaptopTest, TwoRepositoriesOfOneNameAreTwoProjectsAndAMovedOneIsTheSame) {
  const Home home = HomeAt("home");
  ASSERT_TRUE(home.Make());
  const ProjectFiles files(home);
  const std::string one = Make("one/app").string(), two = Make("two/app").string();
  ASSERT_TRUE(files.Keep(files.Find(one)));
  EXPECT_EQ(files.Find(one).name, "app");
  EXPECT_TRUE(files.Find(two).name.starts_with("app-"));
  fs::remove_all(one);
  EXPECT_EQ(files.Find(two).name, "app");
}

TEST_F(LaptopTest, AFolderThatOthersMayReadIsRefused) {
  const Home home = HomeAt("home");
  ASSERT_TRUE(home.Make());
  struct stat found {};
  ASSERT_EQ(stat(home.folder().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0700U);
  chmod(home.folder().c_str(), 0755);
  const auto refused = home.Make();
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("chmod 700"), std::string::npos);
}

TEST_F(LaptopTest, OnlyWhoHoldsTheLockRuns) {
  const Home home = HomeAt("home");
  ASSERT_TRUE(home.Make());
  ASSERT_TRUE(home.SaveRunning({"http://127.0.0.1:1", "secret"}));
  EXPECT_FALSE(home.FindRunning()) << "a run.json that a crash left";
  const auto lock = base::DirectoryLock::Take(home.folder(), 0);
  ASSERT_TRUE(home.FindRunning());
  EXPECT_EQ(home.FindRunning()->token, "secret");
}

TEST_F(LaptopTest, ALogHasABound) {
  const std::string path = (folder / "x.log").string();
  BoundedLog log(path);
  const std::string line(1 << 20, 'x');
  for (int i = 0; i < 12; ++i) log.Write(line);
  EXPECT_LE(fs::file_size(path), size_t{4} << 20);
  EXPECT_LE(fs::file_size(path + ".1"), size_t{4} << 20);
}

TEST_F(LaptopTest, AProgramThatDoesNotListenSaysWhy) {
  Service service(
      {"/bin/sh", "-c", "echo '{\"msg\": \"no\", \"error\": \"the disk is full\"}'; exit 3"},
      (folder / "x.log").string(), "");
  const auto started = service.Start();
  ASSERT_FALSE(started);
  EXPECT_NE(started.error().message.find("no: the disk is full"), std::string::npos)
      << started.error().message;
}

}  // namespace
}  // namespace client
