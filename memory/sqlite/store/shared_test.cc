// Shared memory in a file: restarts, expiry, limits.
#include "lib/api/limits.h"
#include "lib/testing/fake_clock.h"
#include "memory/sqlite/store/store_fixture.h"

namespace memory {
namespace {

class SharedStoreTest : public StoreTest {
 protected:
  SharedStoreTest() { Again(); }
  void Again(TenantQuota quota = {}) {
    StoreOptions options;
    options.clock = &clock_;
    options.quota = quota;
    Reopen(std::move(options));
  }
  base::Result<CellWritten> Put(const std::string& owner, const std::string& key,
                                const std::string& value = "1", int64_t ttl_ms = 0) {
    return store_->cells(kSharedCells).Put({owner, key, value, 0, {}, ttl_ms * 1'000'000}, {});
  }
  bool Has(const std::string& key) { return store_->cells(kSharedCells).Get("a", key).has_value(); }

  ::testing::FakeClock clock_;
};

TEST_F(SharedStoreTest, AcknowledgedItemSurvivesWithItsVersion) {
  ASSERT_TRUE(Put("a", "k", "\"v\""));
  ASSERT_TRUE(Put("a", "gone"));
  ASSERT_TRUE(store_->cells(kSharedCells).Remove("a", "gone", {}));
  Again();
  auto item = store_->cells(kSharedCells).Get("a", "k");
  ASSERT_TRUE(item);
  EXPECT_EQ(item->value, "\"v\"");
  EXPECT_EQ(item->version, 1);
  EXPECT_EQ(Put("a", "gone").value().cell.version, 3) << "no version is given twice";
  EXPECT_EQ(store_->Usage().rows, 2) << "counted for the quota";
  EXPECT_TRUE(Find("v").empty()) << "never found as an observation";
  ExpectSound();
}

TEST_F(SharedStoreTest, SweepRemovesExpiredItems) {
  for (int i = 0; i < 450; ++i) ASSERT_TRUE(Put("a", "k" + std::to_string(i), "1", 1'000));
  ASSERT_TRUE(Put("a", "long", "1", 3'600'000));
  ASSERT_TRUE(Put("a", "ever"));
  clock_.Advance(1'000);
  EXPECT_FALSE(Has("k0"));
  EXPECT_EQ(store_->Sweep({}).value().expired["shared"], 450);
  EXPECT_EQ(store_->Sweep({}).value().expired["shared"], 0);
  EXPECT_EQ(store_->Usage().rows, 2);
  EXPECT_TRUE(Has("ever"));
}

TEST_F(SharedStoreTest, WallClockJumpChangesNoLifetime) {
  ASSERT_TRUE(Put("a", "hour", "1", 3'600'000));
  ASSERT_TRUE(Put("a", "week", "1", 7 * 86'400'000LL));
  clock_.Jump(30 * 86'400'000LL);
  EXPECT_TRUE(Has("hour"));
  clock_.Advance(3'600'000);
  EXPECT_FALSE(Has("hour"));
  clock_.Jump(-60 * 86'400'000LL);
  EXPECT_FALSE(Has("hour"));
  Again();
  EXPECT_FALSE(Has("hour")) << "the clock went back before the restart";
  EXPECT_TRUE(Has("week"));
}

TEST_F(SharedStoreTest, QuotaRefusesWritesUntilADelete) {
  Again({2, 0});
  ASSERT_TRUE(Put("a", "k1"));
  ASSERT_TRUE(Put("b", "k2"));
  auto refused = Put("a", "k3");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::Code::kFull);
  EXPECT_TRUE(store_->cells(kSharedCells).Remove("b", "k2", {}));
  EXPECT_TRUE(Put("a", "k3"));
}

TEST_F(SharedStoreTest, ByteLimitIsPerOwner) {
  const std::string value = "\"" + std::string(api::kMaxSharedValue - 2, 'v') + "\"";
  int written = 0;
  while (Put("a", "k" + std::to_string(written), value, written < 3 ? 1'000 : 3'600'000)) ++written;
  EXPECT_EQ(written, kMostSharedBytes / static_cast<int64_t>(api::kMaxSharedValue + 3));
  auto refused = Put("a", "more", value);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::Code::kFull);
  EXPECT_NE(refused.error().message.find("shared-bytes: Agent a"), std::string::npos);
  EXPECT_TRUE(Put("a", "k3", value)) << "in place of as much";
  EXPECT_TRUE(Put("b", "more", value));
  clock_.Advance(1'000);
  EXPECT_TRUE(Put("a", "more", value)) << "what is over gives its room";
}

TEST_F(SharedStoreTest, OwnersOfATenantAreLimited) {
  for (int64_t i = 0; i < kMostSharedOwners; ++i)
    ASSERT_TRUE(Put("a" + std::to_string(i), "k")) << i;
  auto refused = Put("one-more", "k");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("shared-owners: 1000"), std::string::npos);
  EXPECT_TRUE(Put("a7", "k2"));
  ASSERT_TRUE(store_->cells(kSharedCells).Remove("a8", "k", {}));
  EXPECT_TRUE(Put("one-more", "k"));
}

}  // namespace
}  // namespace memory
