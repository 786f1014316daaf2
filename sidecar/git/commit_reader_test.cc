// Shows what is read of commits that git itself made, and of damaged ones.
#include "sidecar/git/commit_reader.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "lib/base/text/text.h"
#include "sidecar/git/git_fixture.h"

namespace sidecar {
namespace {

namespace fs = std::filesystem;

// The files that git itself lists of HEAD, in its order.
std::string FilesOfGit(GitRepository& repository) {
  const std::string all = repository.Run(
      "cd repo && git -c core.quotePath=false diff-tree --root -r --no-commit-id "
      "--name-only HEAD");
  return base::Join(base::Split(base::Trim(all), '\n'), ", ");
}

TEST(CommitReader, MessageAndFilesAreThoseOfGit) {
  for (const char* options : {"", "--object-format=sha256"}) {
    GitRepository repository(options);
    repository.Write("a.txt", "1");
    repository.Write("src/deep/b c.h", "1");
    repository.Write("src.c", "1");
    repository.Commit("Begin\n\nWith three files.");
    EXPECT_EQ(Told(Newest(repository.Path())),
              "Begin\n\nWith three files. | a.txt, src.c, src/deep/b c.h");
    repository.Write("src/deep/b c.h", "2");
    repository.Write("src/Zeile-ä", "2");
    fs::remove(repository.Path("a.txt"));
    repository.Commit("Move it");
    EXPECT_EQ(Told(Newest(repository.Path("src/deep"))),
              "Move it | a.txt, src/Zeile-ä, src/deep/b c.h");
    EXPECT_EQ(Told(Newest(repository.Path(), 1)).substr(0, 5), "Begin");
    EXPECT_EQ(Told(Newest(repository.Path(), 2)), "-");
    const std::string hash = IdOf(repository, "HEAD~1");
    EXPECT_EQ(Told(ReadCommit({repository.Path(), hash.substr(0, 7), 0}, 0)).substr(0, 5), "Begin");
    EXPECT_EQ(Told(ReadCommit({repository.Path(), "0123456789", 0}, 0)), "-");
  }
}

TEST(CommitReader, PackedObjectsAndTheirDeltasAreRead) {
  for (const char* options : {"", "--object-format=sha256"}) {
    GitRepository repository(options);
    for (int i = 0; i < 200; ++i)  // a tree that is worth a delta
      repository.Write("many/file-" + std::to_string(i), std::to_string(i));
    repository.Commit("Begin");
    for (int i = 0; i < 12; ++i) {
      repository.Write("many/file-" + std::to_string(i * 7), "changed");
      repository.Commit("Change " + std::to_string(i));
    }
    for (const char* pack : {"git repack -adq --depth=50 --window=50", "git prune-packed",
                             "git -c repack.usedeltabaseoffset=false repack -adfq --depth=50"}) {
      repository.Run(std::string("cd repo && ") + pack);
      EXPECT_FALSE(fs::exists(ObjectFile(repository, IdOf(repository, "HEAD"))));
      const std::string packed =
          repository.Run("cd repo && git verify-pack -v .git/objects/pack/*.idx");
      EXPECT_NE(packed.find("chain length = 2"), std::string::npos) << "no deltas: " << packed;
      for (size_t back = 0; back < 12; ++back)
        EXPECT_EQ(Told(Newest(repository.Path(), back)), "Change " + std::to_string(11 - back) +
                                                             " | many/file-" +
                                                             std::to_string((11 - back) * 7))
            << pack;
    }
    repository.Write("many/file-3", "changed again");
    repository.Commit("On top of a pack");
    EXPECT_EQ(Told(Newest(repository.Path())), "On top of a pack | many/file-3");
  }
}

TEST(CommitReader, AnyHistoryHasTheFilesThatGitLists) {
  const unsigned seed = std::random_device()();
  std::mt19937 random(seed);
  const std::string names[] = {"a", "a.b", "a/b", "a/b/c", "a-b/x", "a0", "b/a", "b", "Z", "z/z/z"};
  GitRepository repository;
  for (int round = 0; round < 25; ++round) {
    for (int i = 0; i < 4; ++i) {
      const std::string name = names[random() % std::size(names)];
      // A file in the place of a folder, and a folder in the place of a file.
      fs::path place = repository.Path(name);
      if (random() % 3 == 0) {
        std::error_code beneath_a_file;
        fs::remove_all(place, beneath_a_file);
        continue;
      }
      for (fs::path at = place.parent_path(); at != repository.Path(); at = at.parent_path())
        if (fs::is_regular_file(at)) fs::remove(at);
      if (fs::is_directory(place)) fs::remove_all(place);
      repository.Write(name, std::to_string(random()));
    }
    if (random() % 5 == 0) repository.Run("cd repo && git gc -q");
    repository.Commit("Round " + std::to_string(round));
    EXPECT_EQ(Told(Newest(repository.Path())),
              "Round " + std::to_string(round) + " | " + FilesOfGit(repository))
        << "seed " << seed;
  }
}

TEST(CommitReader, MergesAndAmendmentsAndWhatMovesHeadOtherwise) {
  GitRepository repository;
  repository.Write("a", "1");
  repository.Commit("Begin");
  repository.Run(
      "cd repo && git checkout -q -b side && echo 2 > b && git add b && "
      "git commit -qm 'On the side' && git checkout -q main && echo 3 > c && "
      "git add c && git commit -qm 'On main' && git merge -q --no-commit side && "
      "git commit -qm 'Bring both together'");
  EXPECT_EQ(Told(Newest(repository.Path())), "Bring both together | b");
  repository.Run(
      "cd repo && echo 4 > d && git add d && git commit -qm wip && "
      "git commit -q --amend -m 'Add d' && echo 5 > e && git add e && "
      "git commit -q --amend --no-edit && git checkout -q side && git checkout -q main");
  const auto amended = Newest(repository.Path());
  EXPECT_EQ(Told(amended), "Add d | d, e");
  EXPECT_EQ(amended->replaced, (std::vector<std::string>{"wip\n", "Add d\n"}));
}

TEST(CommitReader, WorktreesSubmodulesAndSeparateFoldersAreRepositories) {
  GitRepository repository;
  repository.Commit("Begin");
  repository.Run(
      "git -C repo worktree add -q ../tree -b tree && cd tree && echo 1 > in-tree && "
      "git add -A && git commit -qm 'In the tree'");
  EXPECT_EQ(Told(Newest(repository.Beside("tree"))), "In the tree | in-tree");
  EXPECT_EQ(Told(Newest(repository.Path())), "Begin | ");
  repository.Run(
      "git init -q --separate-git-dir=apart.git apart && cd apart && echo 1 > x && "
      "git add x && git commit -qm Apart");
  EXPECT_EQ(Told(Newest(repository.Beside("apart"))), "Apart | x");
  repository.Run(
      "cd repo && git -c protocol.file.allow=always submodule --quiet add ../apart sub && "
      "git commit -qm 'With a submodule' && cd sub && echo 2 > y && git add y && "
      "git commit -qm 'In the submodule'");
  EXPECT_EQ(Told(Newest(repository.Path())), "With a submodule | .gitmodules, sub");
  EXPECT_EQ(Told(Newest(repository.Path("sub"))), "In the submodule | y");
  repository.Run(
      "git clone -q --depth=1 \"file://$PWD/repo\" shallow && cd shallow && "
      "echo 6 > z && git add z && git commit -qm 'On a shallow clone' && "
      "git commit -q --allow-empty --amend -m 'On its root'");
  EXPECT_EQ(Told(Newest(repository.Beside("shallow"))), "On its root | z");
}

TEST(CommitReader, WhatIsNotThisUsersOrNotThereIsNotRead) {
  GitRepository repository;
  repository.Commit("Begin");
  const auto expect_nothing = [&](const std::string& directory, const char* why) {
    EXPECT_EQ(Told(Newest(directory)), "-") << why;
  };
  expect_nothing(repository.Beside(""), "no repository");
  expect_nothing(repository.Path("missing"), "no directory");
  expect_nothing("/proc/self/fd", "no folder of files");
  expect_nothing("", "no path");
  expect_nothing(std::string(100'000, 'x'), "too long a path");
  repository.Run("mkdir link && ln -s ../repo/.git link/.git");
  expect_nothing(repository.Beside("link"), ".git is a link");
  repository.Run(
      "cp -r repo inner && mv inner/.git/logs inner-logs && "
      "ln -s ../../inner-logs inner/.git/logs");
  expect_nothing(repository.Beside("inner"), "a link inside .git");
  repository.Run(
      "cp -r repo objects && mv objects/.git/objects elsewhere && "
      "ln -s ../../elsewhere objects/.git/objects");
  expect_nothing(repository.Beside("objects"), "its objects are a link");
  repository.Run("cp -r repo fifo && rm fifo/.git/logs/HEAD && mkfifo fifo/.git/logs/HEAD");
  expect_nothing(repository.Beside("fifo"), "its log is a FIFO");
  repository.Run("mkdir self && printf 'gitdir: .' > self/.git");
  expect_nothing(repository.Beside("self"), "a .git that names its own directory");
  repository.Run("mkdir long && head -c 100000 /dev/zero > long/.git");
  expect_nothing(repository.Beside("long"), "a long .git");
  if (geteuid() == 0) {
    repository.Run("cp -r repo other && chown -R 12345 other/.git");
    expect_nothing(repository.Beside("other"), "another user's .git");
    repository.Run("cp -r repo outer && chown 12345 outer");
    expect_nothing(repository.Beside("outer"), "another user's folder");
    repository.Run(
        "mkdir names && cp -r repo/.git named && chown 12345 named && "
        "printf 'gitdir: ../named' > names/.git");
    expect_nothing(repository.Beside("names"), "another user's named folder");
  }
  EXPECT_EQ(Told(Newest(repository.Path())), "Begin | ");
}

// Every byte of a commit's files, cut there and changed there: another answer or none, never a
// fault (sanitizers see one).
TEST(CommitReader, DamagedFilesAreNoCommits) {
  const unsigned seed = std::random_device()();
  std::mt19937 random(seed);
  GitRepository repository;
  for (int i = 0; i < 50; ++i) repository.Write("f" + std::to_string(i), "1");
  repository.Commit("Begin");
  repository.Write("f7", "2");
  repository.Commit("Change");
  const std::string loose = ObjectFile(repository, IdOf(repository, "HEAD"));
  std::vector<std::string> files = {loose, repository.Path(".git/logs/HEAD")};
  for (int packed = 0; packed < 2; ++packed) {
    if (packed == 1) {
      repository.Run("cd repo && git repack -adq && chmod -R u+w .git/objects");
      files.clear();
      for (const auto& file : fs::directory_iterator(repository.Path(".git/objects/pack")))
        files.push_back(file.path());
    }
    for (const std::string& file : files) {
      fs::permissions(file, fs::perms::owner_all);
      std::ifstream input(file, std::ios::binary);
      const std::string whole{std::istreambuf_iterator<char>(input), {}};
      for (int i = 0; i < 150; ++i) {
        std::string bytes = whole;
        const size_t at = random() % bytes.size();
        if (i % 2 == 0) bytes.resize(at);
        if (i % 2 == 1) bytes[at] = static_cast<char>(random());
        std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
        const auto found = Newest(repository.Path());
        EXPECT_LE(found && found->files ? found->files->size() : 0, 100u) << "seed " << seed;
      }
      std::ofstream(file, std::ios::binary | std::ios::trunc) << whole;
    }
    EXPECT_EQ(Told(Newest(repository.Path())), "Change | f7");
  }
}

}  // namespace
}  // namespace sidecar
