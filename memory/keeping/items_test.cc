// What items mean, on each engine.
#include "memory/keeping/items.h"

#include <utility>

#include "lib/testing/fake_clock.h"
#include "memory/keeping/cells_fixture.h"

namespace memory {
namespace {

constexpr int64_t kMsNs = 1'000'000;
constexpr const char* kValue = R"([1,"two"])";

// Items without a search.
class CellItems final : public Items {
 public:
  CellItems(Cells& cells, const base::Clock& clock)
      : Items(kItemCells, std::make_unique<FakeHost<Cells>>(cells), clock,
              [&] { return clock.MonotonicMs(); }) {}
  base::Result<FoundItems> Retrieve(const std::string&, const std::string&, size_t,
                                    std::stop_token) override {
    return FoundItems();
  }
};

class ItemRulesTest : public CellsTest {
 protected:
  base::Result<CellWritten> Put(const std::string& key, int64_t ttl_ms = 0,
                                const Precondition& condition = {}) {
    Cell item{"p", key, kValue};
    item.ttl_ns = ttl_ms * kMsNs;
    return items_.Put(std::move(item), condition);
  }
  bool Has(const std::string& key) { return items_.Get("p", key).has_value(); }

  ::testing::FakeClock clock_;
  CellItems items_{cells(), clock_};
};
INSTANTIATE_TEST_SUITE_P(Engines, ItemRulesTest,
                         testing::Values(CellEngine::kFake, CellEngine::kItems), EngineName);

TEST_P(ItemRulesTest, PutAnswersWithTheStoredItem) {
  const auto written = Put("k", 5);
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_TRUE(written->created);
  const auto read = items_.Get("p", "k");
  ASSERT_TRUE(read);
  for (const Cell& item : {written->cell, *read}) {
    EXPECT_EQ(item.value, kValue);
    EXPECT_EQ(item.metadata, "{}");
    EXPECT_EQ(item.created_ms, clock_.NowMs());
    EXPECT_EQ(item.ttl_ns, 5 * kMsNs);
    EXPECT_EQ(item.version, 1);
  }
}

TEST_P(ItemRulesTest, FailedConditionAnswersWithThePresentItem) {
  const auto absent = Put("k", 0, {.version = 1, .present = true});
  ASSERT_TRUE(absent);
  EXPECT_TRUE(absent->differs);
  EXPECT_EQ(absent->cell.version, 0);
  ASSERT_TRUE(Put("k"));
  const auto present = items_.Change("p", "k", {}, {.version = 7, .present = true});
  ASSERT_TRUE(present);
  EXPECT_TRUE(present->differs);
  EXPECT_EQ(present->cell.version, 1);
  const auto missing = items_.Change("p", "j", {}, {.version = 7, .present = true});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, base::Code::kNotFound);
}

TEST_P(ItemRulesTest, ChangedTtlCountsFromTheCreation) {
  ASSERT_TRUE(Put("k", 10));
  clock_.Advance(8);
  ItemChange change;
  change.ttl_ns = 20 * kMsNs;
  const auto changed = items_.Change("p", "k", change, {});
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->cell.version, 2);
  EXPECT_EQ(changed->cell.value, kValue);
  clock_.Advance(11);
  EXPECT_TRUE(Has("k"));
  clock_.Advance(1);
  EXPECT_FALSE(Has("k"));
  ASSERT_TRUE(Put("ever"));
  clock_.Advance(5);
  change.ttl_ns = 5 * kMsNs;
  ASSERT_TRUE(items_.Change("p", "ever", change, {}));
  EXPECT_FALSE(Has("ever")) << "it is older than its new TTL";
}

TEST_P(ItemRulesTest, GetSetsTheTimeOfTheAccess) {
  ASSERT_TRUE(Put("k"));
  clock_.Advance(3);
  ASSERT_TRUE(Has("k"));
  const int64_t accessed_ms = clock_.NowMs();
  clock_.Advance(3);
  ItemChange change;
  change.metadata = R"({"a":1})";
  const auto changed = items_.Change("p", "k", change, {});
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->cell.accessed_ms, accessed_ms);
  EXPECT_EQ(changed->cell.metadata, R"({"a":1})");
}

TEST_P(ItemRulesTest, RemovalOfAnAbsentItemIsNotFound) {
  ASSERT_TRUE(Put("k", 1));
  EXPECT_TRUE(items_.Remove("p", "k"));
  const auto again = items_.Remove("p", "k");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, base::Code::kNotFound);
  ASSERT_TRUE(Put("k", 1));
  clock_.Advance(1);
  EXPECT_FALSE(items_.Remove("p", "k")) << "expired";
}

TEST_P(ItemRulesTest, ImportKeepsVersionsAndStoresAbsentLiveItemsAlone) {
  ASSERT_TRUE(Put("present"));
  ASSERT_TRUE(Put("expired", 1));
  clock_.Advance(1);
  const auto item = [&](const std::string& key, int64_t age_ms, int64_t version) {
    Cell made{"p", key, "1", version};
    made.ttl_ns = 10 * kMsNs;
    made.created_ms = made.accessed_ms = clock_.NowMs() - age_ms;
    return made;
  };
  const auto stored =
      items_.Import({item("new", 9, 40), item("old", 10, 1), item("present", 0, 1),
                     item("expired", 0, 3), item("odd", 0, -1), item("odder", 0, 1LL << 53)});
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_EQ(*stored, std::vector<bool>({true, false, false, true, true, true}));
  EXPECT_EQ(items_.Get("p", "new").value().version, 40);
  EXPECT_EQ(items_.Get("p", "present").value().version, 1);
  EXPECT_EQ(items_.Get("p", "expired").value().version, 3);
  EXPECT_EQ(items_.Get("p", "odd").value().version, 41) << "a version out of range is replaced";
  EXPECT_EQ(items_.Get("p", "odder").value().version, 42);
  EXPECT_EQ(Put("k").value().cell.version, 43);
  clock_.Advance(1);
  EXPECT_FALSE(Has("new")) << "its age counts";
  EXPECT_TRUE(Has("odd"));
}

}  // namespace
}  // namespace memory
