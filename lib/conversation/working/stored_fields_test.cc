// Tests a conversation's fields in the file: merge, own TTL, refresh, expiry, limits.
#include <gtest/gtest.h>

#include "lib/conversation/rows_fixture.h"
#include "lib/conversation/working/fields.h"

namespace conversation {
namespace {

using base::Json;
using Names = std::vector<std::string>;

constexpr int64_t kHour = 3'600'000, kDay = 24 * kHour;

class FieldTable : public RowsTest {
 protected:
  FieldTime Time() const { return {now_ms_, refreshes_}; }
  WorkingFields Read(const std::string& id = "c") {
    const auto found = ReadFields(rows(), id, Time());
    EXPECT_TRUE(found) << found.error().message;
    return found.value_or(WorkingFields());
  }
  base::Result<WorkingFields> Put(Json fields, std::optional<int64_t> ttl_ms = {},
                                  std::optional<int64_t> expected = {},
                                  const std::string& id = "c") {
    return WriteFields(rows(), {"", id, {std::move(fields), ttl_ms}, expected}, Time());
  }
  // Renews the expiry like a read.
  void Refresh(const std::string& id = "c") {
    const WorkingFields found = Read(id);
    const int64_t ttl_ms = found.ttl_ms > 0 ? found.ttl_ms : kDefaultFieldTtlMs;
    EXPECT_TRUE(refreshes_.Note(id, {found.version, now_ms_ + ttl_ms}));
  }
  int64_t Delete(const std::optional<Names>& names) {
    return DeleteFields(rows(), "c", names, Time()).value_or(-1);
  }
  int64_t CountRows() { return std::ssize(*rows().ListFields("", "", 1'000)); }

  FieldRefreshes refreshes_;
  int64_t now_ms_ = 1'000'000;
};
INSTANTIATE_TEST_SUITE_P(Rows, FieldTable, kBothEngines, EngineName);
class FieldTableOnDisk : public FieldTable {};
INSTANTIATE_TEST_SUITE_P(Rows, FieldTableOnDisk, testing::Values(Engine::kSqlite), EngineName);

TEST_P(FieldTable, UnknownConversationHasNoFields) {
  EXPECT_EQ(Read().version, 0);
  EXPECT_EQ(Read().fields, Json::object());
}

TEST_P(FieldTable, PutMergesAndCountsVersions) {
  EXPECT_EQ(Put({{"a", 1}, {"b", 1}})->version, 1);
  EXPECT_EQ(Put({{"b", nullptr}})->version, 2);
  EXPECT_EQ(Read().fields, (Json{{"a", 1}, {"b", nullptr}}));
}

TEST_P(FieldTable, PutOfAnotherVersionChangesNothing) {
  ASSERT_TRUE(Put({{"a", 1}}, {}, 0));
  const auto refused = Put({{"a", 2}}, {}, 2);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::Code::kConflict);
  EXPECT_EQ(Read().fields["a"], 1);
  EXPECT_TRUE(Put({{"a", 3}}, {}, 1));
}

TEST_P(FieldTable, OwnTtlPersistsOverReadsAndWrites) {
  ASSERT_TRUE(Put({{"a", 1}}, 7 * kDay));
  now_ms_ += 6 * kDay;
  ASSERT_TRUE(Put({{"b", 1}}));
  now_ms_ += 6 * kDay;
  Refresh();
  now_ms_ += 6 * kDay;
  EXPECT_EQ(Read().fields.size(), 2u);
  ASSERT_TRUE(Put(Json::object(), kHour));
  now_ms_ += kHour;
  EXPECT_EQ(Read().version, 0) << "a shorter one is given, and no refresh of before counts";
}

TEST_P(FieldTable, ReadRefreshesInMemoryThenFile) {
  for (const char* id : {"c", "d"}) ASSERT_TRUE(Put({{"a", 1}}, {}, {}, id));
  now_ms_ += 23 * kHour;
  for (const char* id : {"c", "d"}) Refresh(id);
  now_ms_ += 23 * kHour;
  EXPECT_EQ(Read().fields.size(), 1u);
  const auto noted = refreshes_.Copy();
  ASSERT_TRUE(rows().RefreshFields(noted));
  EXPECT_EQ(Read().fields.size(), 1u);
  refreshes_.Written(noted);
  EXPECT_EQ(refreshes_.Count(), 0u);
  for (const char* id : {"c", "d"}) EXPECT_EQ(Read(id).fields.size(), 1u) << id;
  now_ms_ += kHour;
  EXPECT_EQ(Read().version, 0);
}

TEST_P(FieldTable, RefreshDuringAWriteStays) {
  ASSERT_TRUE(Put({{"a", 1}}));
  Refresh();
  const auto noted = refreshes_.Copy();
  now_ms_ += kHour;
  Refresh();
  refreshes_.Written(noted);
  EXPECT_EQ(refreshes_.Count(), 1u);
}

TEST_P(FieldTable, ExpiredFieldsAreHiddenThenSwept) {
  ASSERT_TRUE(Put({{"a", 1}}));
  now_ms_ += kDay;
  EXPECT_EQ(Read().version, 0);
  EXPECT_EQ(Delete({}), 0);
  EXPECT_EQ(RemoveExpiredFields(rows(), now_ms_, 100).value_or(-1), 0);
  const auto again = Put({{"b", 1}}, {}, 0);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->fields, (Json{{"b", 1}}));
  EXPECT_EQ(again->version, 2) << "no version twice while a client may remember it";
  now_ms_ += kDay + kKeepExpiredMs;
  EXPECT_EQ(RemoveExpiredFields(rows(), now_ms_, 100).value_or(-1), 1);
  EXPECT_EQ(CountRows(), 0);
}

TEST_P(FieldTable, SweepRemovesInPieces) {
  for (int i = 0; i < 7; ++i) ASSERT_TRUE(Put({{"a", i}}, {}, {}, "c" + std::to_string(i)));
  now_ms_ += kDay + kKeepExpiredMs;
  ASSERT_TRUE(Put({{"a", 1}}, {}, {}, "live"));
  EXPECT_EQ(RemoveExpiredFields(rows(), now_ms_, 5).value_or(-1), 5);
  EXPECT_EQ(RemoveExpiredFields(rows(), now_ms_, 5).value_or(-1), 2);
  EXPECT_EQ(CountRows(), 1);
}

TEST_P(FieldTable, DeleteCountsExistingFields) {
  ASSERT_TRUE(Put({{"a", 1}, {"b", 1}, {"c", 1}}));
  EXPECT_EQ(Delete(Names{"a", "a", "nowhere"}), 1);
  EXPECT_EQ(Delete(Names{}), 0);
  EXPECT_EQ(Read().version, 2);
  EXPECT_EQ(Delete({}), 2);
  EXPECT_EQ(Read().version, 0);
  EXPECT_EQ(Delete({}), 0);
  EXPECT_EQ((*rows().FindFields("c"))->fields, "{}")
      << "what was deleted is not in the row any more";
}

TEST_P(FieldTableOnDisk, OwnersHaveSeparateLimits) {
  const std::string big(60'000, 'x');
  ASSERT_TRUE(
      database().Execute("INSERT INTO working_memory_totals VALUES('full', 3, 268435456 - 100)"));
  const auto put = [&](const char* owner) {
    return WriteFields(rows(), {owner, std::string(owner) + "/c", {{{"big", big}}, {}}, {}},
                       Time());
  };
  const auto refused = put("full");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::Code::kFull);
  EXPECT_TRUE(put("other"));
  ASSERT_TRUE(
      database().Execute("UPDATE working_memory_totals SET conversations = 200000, bytes = 0"
                         " WHERE owner = 'full'"));
  EXPECT_FALSE(put("full"));
}

TEST_P(FieldTable, TotalsFollowWritesDeletesAndSweep) {
  ASSERT_TRUE(Put({{"a", "12345"}}));
  ASSERT_TRUE(Put({{"a", "1"}}));
  const auto total = [&] {
    const FieldTotals totals = *rows().TotalsOfFields("");
    return std::pair(totals.conversations, totals.bytes);
  };
  EXPECT_EQ(total(), std::pair(1L, 4L));
  EXPECT_EQ(Delete({}), 1);
  EXPECT_EQ(total(), std::pair(1L, 0L));
  EXPECT_EQ(RemoveExpiredFields(rows(), now_ms_ + kKeepExpiredMs, 9).value_or(-1), 1);
  EXPECT_EQ(total(), std::pair(0L, 0L));
}

TEST_P(FieldTableOnDisk, DamagedRowIsHiddenAndCanBeDeleted) {
  ASSERT_TRUE(Put({{"a", "right"}}));
  ASSERT_TRUE(
      database().Execute("UPDATE working_memory SET fields = replace(fields, 'right', 'wrong')"));
  EXPECT_FALSE(ReadFields(rows(), "c", Time()));
  EXPECT_FALSE(Put({{"b", 1}}));
  EXPECT_GE(Delete({}), 0);
  EXPECT_TRUE(Put({{"b", 1}}));
  EXPECT_EQ(Read().fields, (Json{{"b", 1}}));
}

TEST_P(FieldTable, RefreshOfEarlierVersionExtendsNoTtl) {
  ASSERT_TRUE(Put({{"a", 1}}));
  Refresh();
  const auto noted = refreshes_.Copy();
  ASSERT_TRUE(Put({{"a", 2}}, kHour));
  ASSERT_TRUE(rows().RefreshFields(noted));
  refreshes_.Written(noted);
  now_ms_ += kHour;
  EXPECT_EQ(Read().version, 0);
}

TEST_P(FieldTable, WalkVisitsLiveFieldsOfTheOwner) {
  ASSERT_TRUE(Put({{"a", 1}}, kHour, {}, "short"));
  ASSERT_TRUE(WriteFields(rows(), {"other", "c2 of another", {{{"a", 1}}, {}}, {}}, Time()));
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(Put({{"a", i}}, {}, {}, "c" + std::to_string(i)));
  now_ms_ += kHour;
  std::vector<std::string> seen;
  std::string after;
  do {
    const auto last =
        WalkFields(rows(), "", after, 2, Time(), [&](const std::string& id, const auto&) {
          seen.push_back(id);
          return base::Status();
        });
    ASSERT_TRUE(last);
    after = *last;
  } while (!after.empty());
  EXPECT_EQ(seen, (std::vector<std::string>{"c0", "c1", "c2", "c3", "c4"}));
}

TEST(FieldRefreshes, ReadOfOlderVersionOverwritesNone) {
  FieldRefreshes refreshes;
  refreshes.Note("c", {2, 10});
  refreshes.Note("c", {1, 99});
  refreshes.Note("c", {2, 9});
  EXPECT_EQ(refreshes.Latest("c", {2, 5}), 10);
  EXPECT_EQ(refreshes.Latest("c", {1, 5}), 5);
}

TEST(FieldRefreshes, LimitKeepsExistingRefreshes) {
  FieldRefreshes refreshes;
  for (size_t i = 0; i < FieldRefreshes::kMost; ++i)
    ASSERT_TRUE(refreshes.Note(std::to_string(i), {1, 1}));
  EXPECT_FALSE(refreshes.Note("one more", {1, 1}));
  EXPECT_TRUE(refreshes.Note("7", {1, 2}));
}

}  // namespace
}  // namespace conversation
