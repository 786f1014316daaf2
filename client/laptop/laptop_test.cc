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
  EXPECT_TRUE(files.Find(two).name.starts_with("app-"))
      << "another one of that name gets no memories of it";
}

// Repositories made by git itself.
struct RepositoryIdentity : LaptopTest {
  void Git(const std::string& words) {
    std::string said;
    ChildOptions options{{"/bin/sh", "-c", "cd \"$1\" && " + words, "sh", folder.string()},
                         CleanEnvironment()};
    options.environment.insert(options.environment.end(),
                               {"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1"});
    options.on_line = [&](std::string_view line) { said += std::string(line) + "\n"; };
    const auto child = Child::Start(std::move(options));
    ASSERT_TRUE(child);
    ASSERT_TRUE((*child)->WaitForEnd(60'000)) << words;
    (*child)->Stop(0);
    ASSERT_EQ((*child)->exit_code(), 0) << words << said;
  }
  // With a commit that no other repository has.
  void Commit(const std::string& path) {
    Git("git init -q -b main " + path + " && git -C " + path +
        " -c user.name=a -c user.email=a@b commit -q --allow-empty -m 'begin " +
        std::to_string(++made_) + "'");
  }
  std::string NameAt(const std::string& path) {
    const auto repository = RepositoryOf((folder / path).string());
    EXPECT_TRUE(repository) << path;
    if (!repository) return "";
    const KnownProject known = files.Find(repository->root);
    EXPECT_TRUE(files.Keep(known));
    return known.name;
  }
  int made_ = 0;
  const Home home = HomeAt("home");
  const ProjectFiles files{home};
  RepositoryIdentity() { EXPECT_TRUE(home.Make()); }
};

TEST_F(RepositoryIdentity, ARenamedOneKeepsItsMemoryAndANewOneOfItsNameGetsNone) {
  Commit("app");
  EXPECT_EQ(NameAt("app"), "app");
  fs::rename(folder / "app", folder / "renamed");
  fs::create_directories(folder / "app");
  EXPECT_NE(NameAt("app"), "app") << "a directory in its place";
  EXPECT_EQ(NameAt("renamed"), "app");
  fs::remove_all(folder / "app");
  Commit("app");
  EXPECT_NE(NameAt("app"), "app") << "another repository in its place";
  EXPECT_EQ(NameAt("renamed"), "app");
  Make("deep/er");
  fs::rename(folder / "renamed", folder / "deep/er/moved");
  EXPECT_EQ(NameAt("deep/er/moved"), "app");
}

TEST_F(RepositoryIdentity, ANewOneInThePlaceOfOneThatMovedIsNew) {
  Commit("app");
  EXPECT_EQ(NameAt("app"), "app");
  fs::rename(folder / "app", folder / "moved");
  Git("git init -q app");
  const std::string fresh = NameAt("app");
  EXPECT_NE(fresh, "app") << "it has no commit yet";
  Git("git -C app -c user.name=a -c user.email=a@b commit -q --allow-empty -m other");
  EXPECT_EQ(NameAt("app"), fresh) << "its first commit changes nothing";
  EXPECT_EQ(NameAt("moved"), "app");
}

TEST_F(RepositoryIdentity, EachLayoutIsOneProject) {
  Commit("seed");
  Git("git -C seed branch one && git -C seed branch two && git -C seed branch three");
  Git("git clone -q --bare seed bare.git");
  Git("git -C bare.git worktree add -q ../bare-one one && git -C bare.git worktree add -q "
      "../bare-two two");
  Git("mkdir hidden && git clone -q --bare seed hidden/.bare && echo 'gitdir: ./.bare' > "
      "hidden/.git && "
      "git -C hidden worktree add -q ../hidden/tree one");
  Git("git clone -q --separate-git-dir=apart.git seed apart && git -C apart worktree add -q "
      "../apart-one -b x");
  Git("git -C seed worktree add -q seed-tree three && ln -s seed link");
  const std::string name = NameAt("seed");
  EXPECT_EQ(name, "seed");
  Make("seed/deep/er");
  for (const char* path :
       {"bare.git", "bare-one", "bare-two", "hidden", "hidden/tree", "hidden/.bare", "apart",
        "apart-one", "seed/seed-tree", "link", "seed/deep/er", "bare.git/refs"})
    EXPECT_EQ(NameAt(path), name) << path;
}

TEST_F(RepositoryIdentity, ASubmoduleAndAnotherCustomersOfThatNameAreTheirOwn) {
  Commit("library");
  Commit("app");
  Git("git -C app -c protocol.file.allow=always submodule add -q ../library lib");
  EXPECT_EQ(NameAt("app"), "app");
  EXPECT_EQ(NameAt("app/lib"), NameAt("library"));
  Make("customers/a"), Make("customers/b");
  Commit("customers/a/backend");
  Commit("customers/b/backend");
  EXPECT_NE(NameAt("customers/a/backend"), NameAt("customers/b/backend"));
}

TEST_F(RepositoryIdentity, ProjectsOfAnEarlierVersionKeepTheirMemory) {
  Commit("app");
  const std::string root = (folder / "app").string();
  const std::string old = home.File("projects/" + RepositoryKey(root));
  ASSERT_TRUE(base::MakeDirectories(old));
  ASSERT_TRUE(
      base::ReplaceFile(old + "/project.json",
                        base::DumpJson({{"root", root}, {"project", "mine"}, {"address", ""}})));
  EXPECT_EQ(NameAt("app"), "mine");
  EXPECT_EQ(files.Find(root).folder, old);
  fs::rename(root, folder / "moved");
  EXPECT_EQ(NameAt("moved"), "mine");
  EXPECT_EQ(files.Find((folder / "moved").string()).folder, old)
      << "the sidecar's state stays its own";
}

TEST_F(RepositoryIdentity, AnArchiveThatNamesAnotherRepositoryIsItself) {
  Commit("secret");
  EXPECT_EQ(NameAt("secret"), "secret");
  Make("archive");
  ASSERT_TRUE(base::ReplaceFile((folder / "archive/.git").string(), "gitdir: ../secret/.git\n"));
  EXPECT_NE(NameAt("archive"), "secret");
  EXPECT_EQ(RepositoryOf((folder / "archive").string())->root, (folder / "archive").string());
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
  const auto lock = base::DirectoryLock::Acquire(home.folder(), 0);
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
