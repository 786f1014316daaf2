// An index in memory may be what a process uses SQLite for first.
#include "lib/sqlite/scratch_index.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "lib/sqlite/database.h"
#include "lib/sqlite/page_cache.h"

namespace sqlite {
namespace {

TEST(ScratchIndexDeathTest, MadeFirstItLeavesTheSettingsOfTheProcessInForce) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process of its own
  std::string name = (std::filesystem::temp_directory_path() / "sqlite-XXXXXX").string();
  const std::string path = std::string(mkdtemp(name.data())) + "/x.db";
  const auto counted = [&] {
    auto index = ScratchIndex::Make();
    auto file = Database::Open(path, {});
    const bool made = index && file && file->Execute("CREATE TABLE t(n)");
    std::_Exit(made && PageCacheBytes() > 0 ? 0 : 1);
  };
  EXPECT_EXIT(counted(), ::testing::ExitedWithCode(0), "") << "page caches are counted by our own";
}

}  // namespace
}  // namespace sqlite
