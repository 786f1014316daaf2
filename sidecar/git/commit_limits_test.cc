// Shows that nothing in a .git takes more time, memory or descriptors than its limits.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "lib/base/text/deflate.h"
#include "sidecar/git/git_fixture.h"
#include "sidecar/git/git_objects.h"

namespace sidecar {
namespace {

namespace fs = std::filesystem;

std::string Entry(const std::string& name, const std::string& hex) {
  return "40000 " + name + std::string(1, '\0') + BytesOfHex(hex);
}

// Writes a loose object under any id; git would not.
void Plant(GitRepository& repository, const std::string& hex, const std::string& type,
           const std::string& content) {
  const std::string name = ".git/objects/" + hex.substr(0, 2) + "/" + hex.substr(2);
  fs::remove(repository.Path(name));
  repository.Write(name, base::Deflate(type + " " + std::to_string(content.size()) +
                                       std::string(1, '\0') + content));
}

TEST(CommitLimits, HostileObjectsTakeNoMoreThanTheLimits) {
  GitRepository repository;
  repository.Write("a/b", "1");
  repository.Commit("Begin");
  const std::string commit = IdOf(repository, "HEAD"), tree = IdOf(repository, "HEAD^{tree}");
  Plant(repository, tree, "tree", Entry("a", tree));
  EXPECT_EQ(Told(Newest(repository.Path())), "Begin | -") << "a folder in itself";
  std::string wide;
  for (int i = 0; i < 1000; ++i) wide += Entry("f" + std::to_string(i), tree);
  Plant(repository, tree, "tree", wide);
  EXPECT_EQ(Told(Newest(repository.Path())), "Begin | -") << "a thousand times in itself";
  std::string many;
  for (int i = 0; i < 20'000; ++i)
    many += "100644 " + std::to_string(i) + std::string(1, '\0') + std::string(20, 'x');
  Plant(repository, tree, "tree", many);
  EXPECT_EQ(Told(Newest(repository.Path())), "Begin | -") << "more files than are listed";
  std::string long_names;
  for (int i = 0; i < 20; ++i)
    long_names +=
        "100644 " + std::string(100'000, 'n') + std::string(1, '\0') + std::string(20, 'x');
  Plant(repository, tree, "tree", long_names);
  EXPECT_EQ(Told(Newest(repository.Path())), "Begin | -") << "long names";
  for (const std::string& broken :
       {std::string("40000"), std::string("40000 a"), Entry("a", tree).substr(0, 20),
        std::string("\0\0\0", 3), std::string(" a\0", 3)}) {
    Plant(repository, tree, "tree", broken);
    EXPECT_EQ(Told(Newest(repository.Path())), "Begin | -") << "a broken tree";
  }
  Plant(repository, tree, "blob", "");
  EXPECT_EQ(Told(Newest(repository.Path())), "Begin | -") << "another type";
  Plant(repository, tree, "tree",
        "100644 \xff\n\x1b[31m" + std::string(1, '\0') + std::string(20, 'x'));
  EXPECT_EQ(Told(Newest(repository.Path())).find('\n'), std::string::npos) << "a hostile name";
  Plant(repository, tree, "tree", "");
  Plant(repository, commit, "commit", "tree " + tree + "\n\n" + std::string(64 << 20, 'm'));
  EXPECT_EQ(Told(Newest(repository.Path())), "-") << "64 MiB from 64 KiB";
  Plant(repository, commit, "commit", "tree " + tree + "\n\n" + std::string(1 << 20, 'm'));
  EXPECT_EQ(Newest(repository.Path())->message.size(), size_t{64} << 10);
  Plant(repository, commit, "commit",
        "tree " + tree + "\nparent " + commit + "\n\nIts own parent\n");
  EXPECT_EQ(Told(Newest(repository.Path())), "Its own parent | ");
  for (const char* text : {"", "tree", "tree x\n", "tree x\nparent y\n\nm"}) {
    Plant(repository, commit, "commit", text);
    const std::string told = Told(Newest(repository.Path()));
    EXPECT_TRUE(told == "-" || told == "m | -") << text << ": " << told;
  }
}

// A loose object of so many bytes whose text is an empty tree: empty blocks of deflate, which have
// five bytes each, before the text.
std::string SparseTree(size_t bytes) {
  const std::string deflated = base::Deflate(std::string("tree 0") + std::string(1, '\0'));
  std::string sparse = deflated.substr(0, 2);  // zlib's header
  while (sparse.size() < bytes) sparse += std::string("\0\0\0\xff\xff", 5);
  return sparse + deflated.substr(2);
}

TEST(CommitLimits, FilesThatInflateToLittleTakeTheirSize) {
  GitRepository repository;
  repository.Write("a/b", "1");
  repository.Commit("Begin");
  const std::string tree = IdOf(repository, "HEAD^{tree}"), sparse(40, 'b');
  repository.Write(".git/objects/bb/" + sparse.substr(2), SparseTree(1 << 20));
  Plant(repository, tree, "tree", Entry("a", sparse));
  EXPECT_EQ(Told(Newest(repository.Path())), "Begin | ") << "it is a tree";
  std::string many;
  for (int i = 100; i < 200; ++i) many += Entry(std::to_string(i), sparse);
  Plant(repository, tree, "tree", many);
  EXPECT_EQ(Told(Newest(repository.Path())), "Begin | -") << "a hundred times 1 MiB was read";
}

TEST(CommitLimits, LongHeadersAndOddTimesAreNoCommits) {
  GitRepository repository;
  repository.Commit("Begin");
  const std::string commit = IdOf(repository, "HEAD"), tree = IdOf(repository, "HEAD^{tree}");
  std::string header = "tree " + tree + "\n";
  for (int i = 0; i < 100'000; ++i) header += "x\n";
  Plant(repository, commit, "commit", header + "\nA long header");
  EXPECT_EQ(Told(Newest(repository.Path())), "-");
  Plant(repository, commit, "commit", "tree " + tree + "\n\nBegin");
  EXPECT_EQ(Told(Newest(repository.Path())), "Begin | ");
  for (const char* time : {"-9223372036854775808", "-1", "9223372036854775808", "now", ""}) {
    repository.Write(".git/logs/HEAD", std::string(40, '0') + " " + commit + " a <a@b> " + time +
                                           " +0000\tcommit: Begin\n");
    EXPECT_EQ(Told(Newest(repository.Path())), "-") << time;
  }
}

// Lowers the limit of descriptors to `more` above those that are open.
class FewDescriptors {
 public:
  explicit FewDescriptors(rlim_t more) {
    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &before_), 0);
    const int lowest = dup(STDIN_FILENO);
    close(lowest);
    rlimit few = before_;
    few.rlim_cur = static_cast<rlim_t>(lowest) + more;
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  }
  ~FewDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST(CommitLimits, AnyNumberOfPacksTakesFewDescriptors) {
  GitRepository repository;
  repository.Write("a", "1");
  repository.Commit("Begin");
  repository.Run(
      "cd repo/.git/objects/pack && git repack -adq && for kind in idx pack; do"
      " mv pack-*.$kind z.$kind; done && for i in $(seq 60); do"
      " echo $i | git hash-object -w --stdin | git pack-objects -q pack; done");
  fs::remove(ObjectFile(repository, IdOf(repository, "HEAD")));
  {
    const FewDescriptors few(70);
    EXPECT_EQ(Told(Newest(repository.Path())), "Begin | a") << "in the last of 61 packs";
  }
  repository.Run(
      "cd repo/.git/objects/pack && for i in $(seq 61 80); do"
      " echo $i | git hash-object -w --stdin | git pack-objects -q pack; done");
  EXPECT_EQ(Told(Newest(repository.Path())), "-") << "the 64 packs with the first names are read";
}

}  // namespace
}  // namespace sidecar
