// Resident indexes of several tenants share one budget: the more often queried ranges stay, of any
// tenant.
#include <gtest/gtest.h>

#include <future>

#include "lib/testing/temporary_directory.h"
#include "memory/sqlite/engine/tenants.h"
#include "memory/store/memory_fixture.h"

namespace memory {
namespace {

constexpr size_t kRoomForOne =
    36 << 10;  // of those that Fill makes: 30,000 bytes until it is built
constexpr int kRowsEach = 150;

class ResidentTenants : public ::testing::Test {
 protected:
  void Start(size_t index_bytes) {
    StoreOptions options;
    options.index_bytes = index_bytes;
    options.index_at_once = true;
    options.query_deadline_ms = 60'000;
    options.index_wait = std::chrono::minutes(1);
    tenants_ = std::make_unique<Tenants>(scratch_.path(), options, 16);
  }
  std::shared_ptr<SqliteStore> Fill(const std::string& name) {
    auto store = tenants_->Acquire(name);
    EXPECT_TRUE(store) << store.error().message;
    for (int i = 0; i < kRowsEach; ++i) {
      EXPECT_TRUE((*store)->Save(
          Note("zeppelin number " + std::to_string(i) + " of " + name + " lands at dawn"), "",
          kMidnight + i));
    }
    return *store;
  }
  // Whether the answer came from memory.
  static bool Ask(SqliteStore& store) {
    Filter filter;
    filter.project = "p";
    const int64_t served = store.Indexes().served;
    auto found = store.Recall(filter, "zeppelin dawn");
    EXPECT_TRUE(found && found->rows.size() == filter.limit);
    return store.Indexes().served > served;
  }
  testing::TemporaryDirectory scratch_;
  std::unique_ptr<Tenants> tenants_;
};

TEST_F(ResidentTenants, MoreQueriedTenantEvictsLessQueried) {
  Start(kRoomForOne);
  auto first = Fill("first"), second = Fill("second");
  for (int i = 0; i < 8; ++i) Ask(*first);
  EXPECT_TRUE(Ask(*first));
  EXPECT_FALSE(Ask(*second));
  for (int i = 0; i < 40; ++i) Ask(*second);
  EXPECT_TRUE(Ask(*second));
  EXPECT_FALSE(Ask(*first));
  // It is gone from memory at once, though its store is told of nothing.
  EXPECT_EQ(first->Indexes().bytes, 0u);
  EXPECT_GT(second->Indexes().bytes, 0u);
  EXPECT_LE(tenants_->IndexBytes(), kRoomForOne);
}

TEST_F(ResidentTenants, EquallyQueriedTenantsDoNotThrash) {
  Start(kRoomForOne);
  auto first = Fill("first"), second = Fill("second");
  int changes = 0;
  bool was_first = true;
  for (int i = 0; i < 200; ++i) {
    Ask(i % 3 ? *first : *second);
    Ask(i % 3 ? *second : *first);
    const bool is_first = first->Indexes().bytes > 0;
    changes += is_first != was_first;
    was_first = is_first;
  }
  EXPECT_LE(changes, 1);
  EXPECT_EQ((first->Indexes().bytes > 0) + (second->Indexes().bytes > 0), 1);
}

TEST_F(ResidentTenants, ClosedTenantReleasesItsMemory) {
  Start(kRoomForOne);
  auto first = Fill("first"), second = Fill("second");
  for (int i = 0; i < 50; ++i) Ask(*first);
  EXPECT_FALSE(Ask(*second));
  const size_t before = tenants_->IndexBytes();
  EXPECT_GT(before, 0u);
  first.reset();
  for (int i = 0; i < 15; ++i) ASSERT_TRUE(tenants_->Acquire("other-" + std::to_string(i)));
  EXPECT_EQ(tenants_->IndexBytes(), 0u);
  Ask(*second);
  EXPECT_TRUE(Ask(*second));
}

TEST_F(ResidentTenants, ConcurrentQueriesStayWithinTheBudget) {
  constexpr int kTenants = 4, kThreads = 4, kRounds = 60;
  Start(kRoomForOne);
  std::vector<std::shared_ptr<SqliteStore>> stores;
  for (int i = 0; i < kTenants; ++i) stores.push_back(Fill("team-" + std::to_string(i)));
  std::vector<std::future<void>> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.push_back(std::async(std::launch::async, [&, thread] {
      for (int round = 0; round < kRounds; ++round) {
        // Who is asked most changes a few times.
        const size_t at = static_cast<size_t>(round % 5 ? round / 20 : (thread + round) % kTenants);
        Ask(*stores[at]);
        if (round % 10 == thread) {
          EXPECT_TRUE(stores[at]->Save(Note("zeppelin of thread " + std::to_string(thread) +
                                            " at dawn " + std::to_string(round)),
                                       "", kMidnight + kDay + round));
        }
      }
    }));
  }
  for (auto& thread : threads) thread.get();
  size_t sum = 0;
  for (auto& store : stores) sum += store->Indexes().bytes;
  EXPECT_EQ(sum, tenants_->IndexBytes());
  EXPECT_LE(sum, kRoomForOne);
  stores.clear();
  tenants_->Close();
  EXPECT_EQ(tenants_->IndexBytes(), 0u);
}

}  // namespace
}  // namespace memory
