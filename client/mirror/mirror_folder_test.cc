// Files of a mirror: nothing outside of the folder, no link followed, no text overwritten unseen.
#include "client/mirror/mirror_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "lib/base/process/file.h"
#include "lib/testing/temporary_directory.h"

namespace client {
namespace {

namespace fs = std::filesystem;
using base::Code;

struct MirrorFolderTest : testing::Test {
  const testing::TemporaryDirectory directory;
  const fs::path folder = fs::canonical(directory.path()) / "mirror";
  std::optional<MirrorFolder> opened;

  void SetUp() override {
    fs::create_directory(folder);
    opened.emplace(*MirrorFolder::Open(folder.string()));
  }
  std::string At(const std::string& name) const {
    return base::ReadFile((folder / name).string()).value_or("(none)");
  }
  void Person(const std::string& name, const std::string& text) const {
    ASSERT_TRUE(base::ReplaceFile((folder / name).string(), text));
  }
  size_t Count() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder), {}));
  }
};

TEST_F(MirrorFolderTest, WritesWhatItWasToldOfAndNothingElse) {
  EXPECT_TRUE(opened->Put("a.md", "one", std::nullopt));
  EXPECT_EQ(opened->Put("a.md", "two", std::nullopt).error().code, Code::kConflict);
  EXPECT_EQ(At("a.md"), "one");
  EXPECT_TRUE(opened->Put("a.md", "two", "one"));
  EXPECT_EQ(At("a.md"), "two");
  Person("a.md", "saved by a person meanwhile");
  EXPECT_EQ(opened->Put("a.md", "three", "two").error().code, Code::kConflict);
  EXPECT_EQ(opened->Remove("a.md", "two").error().code, Code::kConflict);
  EXPECT_EQ(At("a.md"), "saved by a person meanwhile");
  EXPECT_EQ(opened->Put("gone.md", "x", "y").error().code, Code::kConflict);
  EXPECT_TRUE(opened->Remove("a.md", "saved by a person meanwhile"));
  EXPECT_TRUE(opened->Remove("a.md", "x")) << "it is gone already";
  EXPECT_EQ(Count(), 0U) << "no temporary file is left";
}

TEST_F(MirrorFolderTest, FollowsNoLinkAndReadsNoOtherKindOfFile) {
  const fs::path outside = folder.parent_path() / "outside.md";
  ASSERT_TRUE(base::ReplaceFile(outside.string(), "outside"));
  fs::create_symlink(outside, folder / "link.md");
  fs::create_symlink(folder.parent_path() / "nowhere.md", folder / "dead.md");
  fs::create_directory(folder / "folder.md");
  ASSERT_EQ(mkfifo((folder / "fifo.md").c_str(), 0600), 0);
  Person("large.md", std::string(MirrorFolder::kMostBytes + 1, 'x'));
  Person("full.md", std::string(MirrorFolder::kMostBytes, 'x'));
  Person("a.conflict.md", "left alone");
  const auto files = opened->Read();
  ASSERT_TRUE(files);
  EXPECT_EQ(files->texts.size(), 1U);
  std::string odd;
  for (const auto& [name, why] : files->odd) odd += name + ": " + why + "\n";
  EXPECT_EQ(odd,
            "dead.md: it is a symbolic link, which is not followed\n"
            "fifo.md: it is no regular file\nfolder.md: it is no regular file\n"
            "large.md: it has more than 256 KiB\n"
            "link.md: it is a symbolic link, which is not followed\n");
  for (const char* link : {"link.md", "dead.md"}) {
    EXPECT_FALSE(opened->Put(link, "x", std::nullopt)) << link;
    EXPECT_FALSE(opened->Put(link, "x", "outside")) << link;
    EXPECT_FALSE(opened->Remove(link, "outside")) << link;
    EXPECT_TRUE(fs::is_symlink(folder / link)) << link;
  }
  EXPECT_EQ(base::ReadFile(outside.string()).value_or(""), "outside");
  EXPECT_FALSE(fs::exists(folder.parent_path() / "nowhere.md"));
  fs::create_directory_symlink(folder, folder.parent_path() / "by-link");
  EXPECT_EQ(MirrorFolder::Open((folder.parent_path() / "by-link").string()).error().code,
            Code::kInvalid);
}

TEST_F(MirrorFolderTest, ATextBesideHasAFreeNameAndIsThereOnce) {
  EXPECT_EQ(*opened->PutBeside("a.md", "mine"), "a.conflict.md");
  EXPECT_EQ(*opened->PutBeside("a.md", "mine"), "a.conflict.md") << "after a kill";
  EXPECT_EQ(*opened->PutBeside("a.md", "other"), "a.conflict-2.md");
  EXPECT_EQ(At("a.conflict.md"), "mine");
}

TEST_F(MirrorFolderTest, WhatAKilledSyncLeftGoesUnlessItIsTheOnlyCopy) {
  Person(".agent-memory-1", "known");
  Person(".agent-memory-2", "a person's only copy");
  Person(".other", "not ours");
  opened->Recover([](const std::string& text) { return text == "known"; });
  EXPECT_EQ(At(".agent-memory-1"), "(none)");
  EXPECT_EQ(At("unsaved.conflict.md"), "a person's only copy");
  EXPECT_EQ(At(".other"), "not ours");
}

TEST_F(MirrorFolderTest, TooManyFilesAreRefused) {
  for (size_t i = 0; i <= MirrorFolder::kMostFiles; ++i)
    std::ofstream(folder / ("n" + std::to_string(i) + ".md")) << "x";
  EXPECT_EQ(opened->Read().error().code, Code::kTooLarge);
}

}  // namespace
}  // namespace client
