// Archives: what is written is read, also by tar; what tar writes is read; what is damaged is
// refused.
#include "lib/base/archive/tar.h"

#include <gtest/gtest.h>

#include <map>

namespace base {
namespace {

using Files = std::map<std::string, std::string>;

Result<Files> Read(const std::string& archive, size_t piece = 1000) {
  Files files;
  TarHandlers handlers;
  handlers.wants = [](const std::string& path) { return !path.ends_with(".no"); };
  handlers.on_file = [&](const std::string& path, std::string_view bytes) -> Status {
    files[path] = bytes;
    return {};
  };
  handlers.on_too_large = [&](const std::string& path) { files[path] = "too large"; };
  handlers.max_bytes = 5000;
  TarReader reader(std::move(handlers));
  for (size_t at = 0; at < archive.size(); at += piece)
    RETURN_IF_ERROR(reader.Push(std::string_view(archive).substr(at, piece)));
  RETURN_IF_ERROR(reader.Finish());
  return files;
}

TEST(Tar, WhatIsWrittenIsRead) {
  const std::string archive = TarFile("a.md", "text", 1'700'000'000'000) +
                              TarFile("b/c.md", std::string(512, 'x'), 0) +
                              TarFile("empty", "", 0) + TarFile("left.no", "out", 0) +
                              TarFile("large", std::string(5001, 'x'), 0) + TarEnd();
  EXPECT_TRUE(StartsAsTar(archive));
  EXPECT_FALSE(StartsAsTar(archive.substr(0, 511)));
  const Files wanted = {
      {"a.md", "text"}, {"b/c.md", std::string(512, 'x')}, {"empty", ""}, {"large", "too large"}};
  for (size_t piece : {1, 511, 513, 100'000}) {
    auto files = Read(archive, piece);
    ASSERT_TRUE(files) << files.error().message;
    EXPECT_EQ(*files, wanted) << piece;
  }
}

TEST(Tar, OneThatIsCutAnywhereOrDamagedIsRefused) {
  const std::string archive = TarFile("a.md", "text", 0) + TarFile("b.md", "more", 0) + TarEnd();
  for (size_t cut = 0; cut <= archive.size() - 1024; cut += 7)
    EXPECT_FALSE(Read(archive.substr(0, cut))) << cut;
  for (size_t at : {0, 124, 130, 148, 1030}) {
    std::string damaged = archive;
    damaged[at] = '9';
    EXPECT_FALSE(Read(damaged)) << at;
  }
  EXPECT_FALSE(Read(archive + "more"));
  EXPECT_FALSE(Read(std::string(1024, 'x')));
}

// A header of another kind before a file, as tar writes it for a long path.
std::string Special(char kind, const std::string& bytes) {
  std::string entry = TarFile("special", bytes, 0);
  unsigned sum = 0;
  entry[156] = kind;
  for (size_t i = 0; i < 512; ++i)
    sum += i >= 148 && i < 156 ? ' ' : static_cast<unsigned char>(entry[i]);
  snprintf(entry.data() + 148, 8, "%06o", sum);
  entry[155] = ' ';
  return entry;
}

TEST(Tar, LongPathsOfGnuAndPaxAreRead) {
  const std::string path = std::string(150, 'd') + "/ü.md";
  const std::string record = " path=" + path + "\n";
  const std::string pax = std::to_string(record.size() + 3) + record;
  for (const std::string& special :
       {Special('L', path + '\0'), Special('x', "20 mtime=1700000000\n" + pax)}) {
    auto files = Read(special + TarFile("short", "text", 0) + TarEnd());
    ASSERT_TRUE(files) << files.error().message;
    EXPECT_EQ(*files, (Files{{path, "text"}}));
  }
  EXPECT_FALSE(Read(Special('L', std::string(70'000, 'x')) + TarEnd()));
}

}  // namespace
}  // namespace base
