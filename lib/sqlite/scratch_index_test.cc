// A scratch index may be the first use of SQLite in a process.
#include "lib/sqlite/scratch_index.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "lib/sqlite/database.h"
#include "lib/sqlite/page_cache.h"
#include "lib/testing/temporary_directory.h"

namespace sqlite {
namespace {

TEST(ScratchIndexDeathTest, KeepsTheProcessSettings) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process of its own
  const auto counted = [] {
    bool good = false;
    {
      const testing::TemporaryDirectory directory;
      auto index = ScratchIndex::Make();
      auto file = Database::Open(directory.File("x.db"), {});
      good = index && file && file->Execute("CREATE TABLE t(n)") && PageCacheBytes() > 0;
    }
    std::_Exit(good ? 0 : 1);
  };
  EXPECT_EXIT(counted(), ::testing::ExitedWithCode(0), "") << "page caches are counted by our own";
}

}  // namespace
}  // namespace sqlite
