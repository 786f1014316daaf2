// Page caches of many tenants, and idle connections.
#include <gtest/gtest.h>

#include "lib/sqlite/page_cache.h"
#include "lib/testing/fake_clock.h"
#include "lib/testing/temporary_directory.h"
#include "memory/sqlite/engine/tenants.h"
#include "memory/store/memory_fixture.h"

namespace memory {
namespace {

class IdleReaderTest : public ::testing::Test {
 protected:
  IdleReaderTest() : clock_(kMidnight) {
    StoreOptions options;
    options.clock = &clock_;
    options.index_bytes = 0;
    options.index_idle = std::chrono::hours(1);  // the writer does nothing by itself
    tenants_ = std::make_unique<Tenants>(scratch_.path(), options, 64);
  }
  ~IdleReaderTest() override { sqlite::SetPageCacheLimit(0); }
  std::shared_ptr<SqliteStore> Fill(const std::string& name) {
    auto store = tenants_->Acquire(name);
    EXPECT_TRUE(store) << store.error().message;
    for (int i = 0; i < 6; ++i)
      EXPECT_TRUE(
          (*store)->Save(Note(std::string(40'000, 'x') + std::to_string(i)), "", kMidnight));
    return *store;
  }
  static size_t Read(SqliteStore& store) {
    auto rows = store.Recent({});
    return rows ? rows->size() : 0;
  }
  ::testing::FakeClock clock_;
  testing::TemporaryDirectory scratch_;
  std::unique_ptr<Tenants> tenants_;
};

TEST_F(IdleReaderTest, PageCachesOfAllTenantsShareOneBudget) {
  constexpr size_t kLimit = 4 << 20, kInUse = 64 << 10;  // by writers at that moment
  sqlite::SetPageCacheLimit(kLimit);
  for (int i = 0; i < 64; ++i) {
    auto store = Fill("team-" + std::to_string(i));
    EXPECT_EQ(Read(*store), 6u);
    ASSERT_LE(sqlite::PageCacheBytes(), kLimit + kInUse);
  }
  EXPECT_EQ(tenants_->stores().Open(), 64u);
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ(Read(**tenants_->Acquire("team-" + std::to_string(i))), 6u);
    ASSERT_LE(sqlite::PageCacheBytes(), kLimit + kInUse);
  }
}

TEST_F(IdleReaderTest, IdleReaderIsClosedAfterAMinuteAndReopens) {
  auto store = Fill("team");
  ASSERT_EQ(Read(*store), 6u);
  // The reader has 240 KB of rows; the writer may take a few pages more or less meanwhile.
  const size_t with_reader = sqlite::PageCacheBytes() - 60'000,
               without = sqlite::PageCacheBytes() - 180'000;
  clock_.Advance(59'000);
  store->CloseIdleReaders();
  EXPECT_GT(sqlite::PageCacheBytes(), with_reader);
  clock_.Advance(2'000);
  store->CloseIdleReaders();
  EXPECT_LT(sqlite::PageCacheBytes(), without);
  EXPECT_EQ(Read(*store), 6u);
  EXPECT_GT(sqlite::PageCacheBytes(), with_reader);
}

}  // namespace
}  // namespace memory
