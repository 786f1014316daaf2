// Pages whose unallocated middle holds copies of deleted cells.
#include "lib/sqlite/clean_pages.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "lib/base/process/file.h"
#include "lib/sqlite/database.h"
#include "lib/testing/temporary_directory.h"

namespace sqlite {
namespace {

std::vector<unsigned char> Page(unsigned kind, unsigned cells, unsigned content, size_t header) {
  std::vector<unsigned char> page(4096, 'x');
  page[header] = static_cast<unsigned char>(kind);
  page[header + 3] = static_cast<unsigned char>(cells >> 8);
  page[header + 4] = static_cast<unsigned char>(cells);
  page[header + 5] = static_cast<unsigned char>(content >> 8);
  page[header + 6] = static_cast<unsigned char>(content);
  return page;
}

TEST(CleanPages, OnlyTheGapIsCleared) {
  struct Case {
    unsigned kind, cells, content;
    bool first;
    size_t begin, end;  // of the gap; equal: none
  };
  for (const Case& given : {Case{13, 10, 3000, false, 28, 3000},
                            {10, 10, 3000, false, 28, 3000},
                            {5, 10, 3000, false, 32, 3000},
                            {2, 10, 3000, false, 32, 3000},
                            {13, 10, 3000, true, 128, 3000},
                            {13, 0, 4096, false, 8, 4096},
                            {13, 4, 16, false, 16, 16},
                            {13, 5, 16, false, 0, 0},
                            {13, 10, 4097, false, 0, 0},
                            {13, 10, 0, false, 0, 0},
                            {13, 60000, 3000, false, 0, 0},
                            {0, 10, 3000, false, 0, 0}}) {
    SCOPED_TRACE(std::to_string(given.kind) + " " + std::to_string(given.cells));
    auto page = Page(given.kind, given.cells, given.content, given.first ? 100 : 0);
    auto wanted = page;
    for (size_t at = given.begin; at < given.end; ++at) wanted[at] = 0;
    EXPECT_EQ(ClearGap(page, given.first), given.begin < given.end);
    EXPECT_EQ(page, wanted);
    EXPECT_FALSE(ClearGap(page, given.first)) << "nothing is left";
  }
}

// Inserts between rows make SQLite redistribute cells: without the VFS some deleted bytes stay.
TEST(CleanPages, FileHasNothingOfDeletedRows) {
  const testing::TemporaryDirectory directory;
  const std::string path = directory.File("x.db");
  auto database = Database::Open(path, {});
  ASSERT_TRUE(database);
  ASSERT_TRUE(database->Execute("CREATE TABLE t(slot INTEGER PRIMARY KEY, s TEXT)"));
  std::minstd_rand random(1);
  auto word = [](int64_t slot) { return "q" + std::to_string(slot * 7919) + "z"; };
  std::vector<int64_t> deleted;
  for (int64_t i = 0; i < 3000; ++i) {
    if (i % 50 == 0) {
      ASSERT_TRUE(database->Execute(i == 0 ? "BEGIN" : "COMMIT; BEGIN"));
    }
    const int64_t slot = (i * 1237 % 7) << 32 | i;
    std::string text;
    const size_t length = random() % 1500;
    while (text.size() <= length) text += word(slot) + " ";
    auto insert = database->Prepare("INSERT INTO t VALUES(?1, ?2)");
    ASSERT_TRUE(insert->Bind(slot).Bind(text).Run());
    if (i % 3 == 0) deleted.push_back(slot);
  }
  ASSERT_TRUE(database->Execute("COMMIT; BEGIN"));
  for (int64_t slot : deleted) {
    auto remove = database->Prepare("DELETE FROM t WHERE slot = ?1");
    ASSERT_TRUE(remove->Bind(slot).Run());
  }
  ASSERT_TRUE(database->Execute("COMMIT"));
  ASSERT_TRUE(database->Checkpoint(Database::Log::kEmpty));
  auto bytes = base::ReadFile(path, 1 << 30);
  ASSERT_TRUE(bytes);
  int found = 0;
  for (int64_t slot : deleted) found += bytes->find(word(slot)) != std::string::npos;
  EXPECT_EQ(found, 0) << "of " << deleted.size();
  EXPECT_TRUE(database->CheckIntegrity({}));
  EXPECT_EQ(*database->CleanPages(0, 1 << 20), 0);
  EXPECT_EQ(*database->CleanPages(0, 5), 5);
}

}  // namespace
}  // namespace sqlite
