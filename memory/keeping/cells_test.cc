// What cells mean, on each engine.
#include <vector>

#include "lib/testing/fake_clock.h"
#include "memory/keeping/cells_fixture.h"

namespace memory {
namespace {

constexpr int64_t kNow = 1'000'000;

std::string Full(const std::string& owner, int64_t CellKind::*limit, int64_t value) {
  const char* name = limit == &CellKind::cells   ? "cells"
                     : limit == &CellKind::bytes ? "bytes"
                                                 : "owners";
  return owner + " " + name + " " + std::to_string(value);
}

std::string Missing(const std::string& owner, const std::string& key) { return owner + "/" + key; }

constexpr CellKind kUnlimited = {INT64_MAX, INT64_MAX, INT64_MAX, Full, Missing};

class Kept final : public KeptCells {
 public:
  Kept(std::unique_ptr<CellHost> host, const base::Clock& clock)
      : KeptCells(kUnlimited, std::move(host), clock, [] { return kNow; }) {}
};

class CellRulesTest : public CellsTest {
 protected:
  base::Result<CellWritten> Put(const std::string& key, std::optional<int64_t> expires_ms = {},
                                const Precondition& condition = {},
                                const CellKind& limits = kUnlimited,
                                const std::string& owner = "a") {
    return PutCell(cells(), limits, {owner, key, "1", 0, expires_ms}, condition, kNow);
  }
  base::Result<CellWritten> Remove(const std::string& key, const Precondition& condition = {},
                                   const std::string& owner = "a") {
    return RemoveCell(cells(), kUnlimited, owner, key, condition, kNow);
  }
  std::string Refused(const base::Result<CellWritten>& written) {
    if (written) return "written";
    EXPECT_EQ(written.error().code, base::Code::kFull);
    return written.error().message;
  }
  bool Has(const std::string& key, int64_t now_ms = kNow, const std::string& owner = "a") {
    return FindLive(cells(), owner, key, now_ms).value().has_value();
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, CellRulesTest, kAllEngines, EngineName);

TEST_P(CellRulesTest, PutOfAKeyCreatesThenReplaces) {
  const auto first = Put("k", kNow + 5);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_TRUE(first->created);
  EXPECT_EQ(first->cell.version, 1);
  const auto second = PutCell(cells(), kUnlimited, {"a", "k", "[2]"}, {}, kNow);
  ASSERT_TRUE(second);
  EXPECT_FALSE(second->created);
  const auto cell = FindLive(cells(), "a", "k", kNow);
  ASSERT_TRUE(cell && *cell);
  EXPECT_EQ((*cell)->value, "[2]");
  EXPECT_EQ((*cell)->version, 2);
  EXPECT_EQ((*cell)->expires_ms, std::nullopt);
  EXPECT_FALSE(Has("k", kNow, "b"));
  EXPECT_FALSE(Has("j"));
}

TEST_P(CellRulesTest, VersionOfARemovedCellIsNotReused) {
  ASSERT_TRUE(Put("k"));
  const auto removed = Remove("k");
  ASSERT_TRUE(removed);
  EXPECT_EQ(removed->cell.version, 1);
  EXPECT_FALSE(Has("k"));
  EXPECT_EQ(Put("k").value().cell.version, 2);
}

TEST_P(CellRulesTest, CellIsAbsentFromItsExpiryOn) {
  ASSERT_TRUE(Put("k", kNow + 1));
  EXPECT_TRUE(Has("k", kNow));
  EXPECT_FALSE(Has("k", kNow + 1));
  EXPECT_TRUE(cells().Find("a", "k").value()) << "the row waits for the sweep";
  const auto again = PutCell(cells(), kUnlimited, {"a", "k", "2"}, {}, kNow + 1);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->created);
  EXPECT_EQ(again->cell.version, 2);
}

TEST_P(CellRulesTest, WriteHappensIfItsConditionHolds) {
  struct Case {
    Precondition condition;
    bool of_absent, of_live;  // holds; the live cell has version 1
  };
  const Case cases[] = {{{}, true, true},
                        {{.version = {}, .absent = true}, true, false},
                        {{.version = {}, .present = true}, false, true},
                        {{.version = 1, .present = true}, false, true},
                        {{.version = 7, .present = true}, false, false}};
  for (size_t i = 0; i < std::size(cases); ++i) {
    const auto& [condition, of_absent, of_live] = cases[i];
    const std::string number = std::to_string(i), absent = "absent" + number;
    EXPECT_EQ(Put(absent, {}, condition).value().differs, !of_absent) << i;
    EXPECT_EQ(Has(absent), of_absent) << i;
    const std::string expired = "expired" + number;
    ASSERT_TRUE(Put(expired, kNow));
    EXPECT_EQ(Put(expired, {}, condition).value().differs, !of_absent) << i;
    const std::string put = "put" + number, removed = "removed" + number;
    ASSERT_TRUE(cells().Save({"a", put, "1", 1}));
    const auto written = Put(put, {}, condition);
    EXPECT_EQ(written.value().differs, !of_live) << i;
    EXPECT_EQ(written.value().cell.version == 1, !of_live) << i << ": the present version";
    ASSERT_TRUE(cells().Save({"a", removed, "1", 1}));
    EXPECT_EQ(Remove(removed, condition).value().differs, !of_live) << i;
    EXPECT_EQ(Has(removed), !of_live) << i;
  }
  EXPECT_TRUE(Remove("never", {.version = {}, .present = true}).value().differs);
  const auto missing = Remove("never");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, base::Code::kNotFound);
  EXPECT_EQ(missing.error().message, "a/never");
}

TEST_P(CellRulesTest, OwnerAtItsLimitOfCellsReplacesButDoesNotAdd) {
  const CellKind two = {2, INT64_MAX, INT64_MAX, Full, Missing};
  ASSERT_TRUE(Put("k1", {}, {}, two));
  ASSERT_TRUE(Put("k2", {}, {}, two));
  EXPECT_EQ(Refused(Put("k3", {}, {}, two)), "a cells 3");
  EXPECT_FALSE(Has("k3"));
  EXPECT_TRUE(Put("k2", {}, {}, two));
  EXPECT_TRUE(Put("k3", {}, {}, two, "b")) << "each owner has its own limit";
}

TEST_P(CellRulesTest, ExpiredCellsOfTheOwnerMakeSpace) {
  const CellKind two = {2, INT64_MAX, INT64_MAX, Full, Missing};
  ASSERT_TRUE(Put("k1", kNow, {}, two, "b"));
  ASSERT_TRUE(Put("k1", kNow, {}, two));
  ASSERT_TRUE(Put("k2", kNow + 1, {}, two));
  ASSERT_TRUE(Put("k3", {}, {}, two));
  EXPECT_FALSE(cells().Find("a", "k1").value());
  EXPECT_TRUE(cells().Find("b", "k1").value()) << "of another owner";
  EXPECT_EQ(Refused(Put("k4", {}, {}, two)), "a cells 3");
}

TEST_P(CellRulesTest, SweepRemovesExpiredCellsInSmallTransactions) {
  for (int i = 0; i < 250; ++i) ASSERT_TRUE(Put("k" + std::to_string(i), kNow));
  ASSERT_TRUE(Put("later", kNow + 1));
  ASSERT_TRUE(Put("never"));
  const ::testing::FakeClock clock;
  auto host = std::make_unique<FakeHost<Cells>>(cells());
  const FakeHost<Cells>& counted = *host;
  Kept kept(std::move(host), clock);
  EXPECT_EQ(kept.Sweep({}).value(), 250);
  EXPECT_EQ(counted.writes, 3);
  EXPECT_TRUE(Has("later"));
  EXPECT_TRUE(Has("never", INT64_MAX));
}

class CellBytesTest : public CellRulesTest {};  // items have no limits of bytes and owners
INSTANTIATE_TEST_SUITE_P(Engines, CellBytesTest,
                         testing::Values(CellEngine::kFake, CellEngine::kShared), EngineName);

TEST_P(CellBytesTest, OwnerAtItsLimitOfBytesReplacesAsMuch) {
  const CellKind six = {INT64_MAX, 6, INT64_MAX, Full, Missing};
  ASSERT_TRUE(Put("k1", kNow, {}, six));  // 3 bytes with its value
  ASSERT_TRUE(Put("k2", {}, {}, six));
  EXPECT_TRUE(Put("k2", {}, {}, six));
  ASSERT_TRUE(Put("k3", {}, {}, six)) << "the expired cell made space";
  EXPECT_EQ(Refused(Put("k4", {}, {}, six)), "a bytes 9");
  EXPECT_EQ(Refused(PutCell(cells(), six, {"a", "k2", "12"}, {}, kNow)), "a bytes 7");
  EXPECT_TRUE(Put("k4", {}, {}, six, "b"));
}

TEST_P(CellBytesTest, TenantAtItsLimitOfOwnersRefusesAnother) {
  const CellKind two = {INT64_MAX, INT64_MAX, 2, Full, Missing};
  ASSERT_TRUE(Put("k", {}, {}, two, "a"));
  ASSERT_TRUE(Put("k", {}, {}, two, "b"));
  EXPECT_EQ(Refused(Put("k", {}, {}, two, "c")), "c owners 3");
  EXPECT_TRUE(Put("k2", {}, {}, two, "a"));
  ASSERT_TRUE(Remove("k", {}, "b"));
  EXPECT_TRUE(Put("k", {}, {}, two, "c"));
}

TEST(CellExpiry, RoundsUpToMilliseconds) {
  EXPECT_EQ(ExpiryOf(5, 0), std::nullopt);
  EXPECT_EQ(ExpiryOf(5, 1), 6);
  EXPECT_EQ(ExpiryOf(5, 1'000'000), 6);
  EXPECT_EQ(ExpiryOf(5, 1'000'001), 7);
}

}  // namespace
}  // namespace memory
