// Items in a store's file: sweep, quota, export and import.
#include "lib/sqlite/database.h"
#include "memory/sqlite/store/retention_fixture.h"

namespace memory {
namespace {

class ItemsTest : public RetentionTest {
 protected:
  Cell Stored(const std::string& key, const base::Json& value, int64_t ttl_ns = kItemTtlNs,
              const std::string& project = "p") {
    auto written = store_->items().Put({project, key, base::DumpJson(value), 0, {}, ttl_ns}, {});
    EXPECT_TRUE(written) << written.error().message;
    return written ? written->cell : Cell();
  }
  std::vector<std::string> Found(const std::string& query, const std::string& project = "p") {
    std::vector<std::string> keys;
    auto found = store_->items().Retrieve(project, query, 100);
    EXPECT_TRUE(found) << found.error().message;
    for (const FoundItem& one : found->rows) keys.push_back(one.item.key);
    return keys;
  }
  static std::vector<Cell> ItemsOf(ExportCursor& cursor) {
    std::vector<Cell> items;
    EXPECT_TRUE(cursor.WalkCells(kItemCells, [&](const Cell& item) {
      items.push_back(item);
      return base::Status();
    }));
    return items;
  }
  using Names = std::vector<std::string>;
};

TEST_F(ItemsTest, SweepRemovesExpiredItems) {
  for (int i = 0; i < 250; ++i) Stored("k" + std::to_string(i), "fleeting", 1'000'000);
  Stored("stays", "lasting", 0);
  clock_.Advance(1);
  EXPECT_EQ(Found("fleeting lasting"), Names({"stays"}));
  EXPECT_EQ(MustSweep().expired["items"], 250);
  EXPECT_EQ(InFile("SELECT count(*) FROM items"), 1);
  EXPECT_EQ(InFile("SELECT rows FROM item_counts"), 1);
  EXPECT_EQ(InFile("SELECT count(*) FROM item_words WHERE item_words MATCH 'fleeting'"), 0);
  EXPECT_EQ(InFile("SELECT value FROM counters WHERE name = 'live_rows'"), 1);
  EXPECT_EQ(MustSweep().expired["items"], 0);
  EXPECT_EQ(Found("lasting"), Names({"stays"}));
  ExpectSound();
}

TEST_F(ItemsTest, ReplacementKeepsProjectCountsExact) {
  Stored("k", "former words of it");
  Stored("k", "latter");
  EXPECT_EQ(Found("former"), Names());
  EXPECT_EQ(Found("latter"), Names({"k"}));
  ItemChange metadata;
  metadata.metadata = R"({"note":"tagged"})";
  ASSERT_TRUE(store_->items().Change("p", "k", metadata, {}));
  EXPECT_EQ(Found("tagged"), Names({"k"}));
  EXPECT_EQ(Found("latter"), Names({"k"}));
  EXPECT_EQ(InFile("SELECT c.words - i.words FROM item_counts c JOIN items i USING(project)"), 0);
  EXPECT_EQ(InFile("SELECT rows FROM item_counts"), 1);
  ExpectSound();
}

// A segment is several pages of the file; a statement between two writes of words begins another.
TEST_F(ItemsTest, ReplacementAndSweepBatchWriteOneSegmentEach) {
  const char* const segments = "SELECT count(DISTINCT segid) FROM item_words_idx";
  Stored("k", "first", 1'000'000);
  ASSERT_EQ(InFile(segments), 1);
  Stored("k", "second", 1'000'000);
  EXPECT_EQ(InFile(segments), 2);
  Stored("k", "second", 1'000'000);
  EXPECT_EQ(InFile(segments), 2) << "the same words";
  Stored("j", "third", 1'000'000);
  clock_.Advance(1);
  EXPECT_EQ(MustSweep().expired["items"], 2);
  EXPECT_LE(InFile(segments), 4);
}

TEST_F(ItemsTest, WallClockJumpChangesNoLifetime) {
  constexpr int64_t kHourNs = 3'600'000'000'000, kYear = 365 * kDay;
  Stored("hour", 1, kHourNs);
  clock_.Jump(kYear);
  EXPECT_EQ(Found(""), Names({"hour"})) << "set ahead";
  clock_.Jump(-2 * kYear);
  EXPECT_EQ(Found(""), Names({"hour"})) << "set back";
  clock_.Advance(kHour);
  EXPECT_EQ(Found(""), Names());
  Stored("changed", 1, kHourNs);
  clock_.Jump(kYear);
  ItemChange longer;
  longer.ttl_ns = 2 * kHourNs;
  ASSERT_TRUE(store_->items().Change("p", "changed", longer, {}));
  clock_.Advance(kHour);
  EXPECT_EQ(Found(""), Names({"changed"}));
  Start();
  clock_.Jump(-kYear);
  Start();  // goes on with the clock that is on record
  EXPECT_EQ(Found(""), Names({"changed"}));
  clock_.Advance(kHour);
  EXPECT_EQ(Found(""), Names());
}

TEST_F(ItemsTest, ItemLimitIsPerProject) {
  Stored("one", 1);
  store_.reset();
  {
    auto database = sqlite::Database::Open(scratch_.File("kept"), {});
    ASSERT_TRUE(database) << database.error().message;
    const std::string full = "UPDATE item_counts SET rows = " + std::to_string(kMaxItemsOfProject);
    ASSERT_TRUE(database->Execute(full.c_str()));
  }
  Start();
  const auto refused = store_->items().Put({"p", "another", "1"}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::Code::kFull);
  Stored("one", 2);
  Stored("another", 1, kItemTtlNs, "q");
  EXPECT_EQ(Found(""), Names({"one"}));
}

TEST_F(ItemsTest, ReplacedItemIsFoundByNewWordsOnly) {
  Stored("k", {{"name", "first"}, {"list", {"nested", 7}}});
  EXPECT_EQ(Found("nested"), Names({"k"}));
  Stored("k", "second");
  EXPECT_EQ(Found("nested first"), Names());
  EXPECT_EQ(Found("second"), Names({"k"}));
  Stored("日記", "東京で会った");
  EXPECT_EQ(Found("東京"), Names({"日記"}));
}

TEST_F(ItemsTest, ItemsCountInTheQuota) {
  options_.quota.rows = 2;
  Start();
  Stored("a", 1);
  Stored("b", 1);
  auto refused = store_->items().Put({"p", "c", "1"}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::Code::kFull);
  EXPECT_TRUE(store_->items().Remove("p", "a"));
  Stored("c", 1);
}

TEST_F(ItemsTest, ReadsWriteNoAccessTimes) {
  Stored("k", 1);
  const int64_t before = InFile("SELECT accessed_ms FROM items");
  clock_.Advance(kMinute);
  auto read = store_->items().Get("p", "k");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->accessed_ms, before + kMinute);
  EXPECT_EQ(InFile("SELECT accessed_ms FROM items"), before) << "no write for a read";
  ASSERT_TRUE(store_->KeepUses());
  EXPECT_EQ(InFile("SELECT accessed_ms FROM items"), before + kMinute);
}

TEST_F(ItemsTest, ExportIsCompleteAndImportReplacesNothing) {
  const Cell kept = Stored("a", {{"deep", {1, 2.5, nullptr, "x"}}}, 0);
  Stored("over", 1, 1);
  Stored("b", "other", kItemTtlNs, "q");
  clock_.Advance(kMinute);
  EXPECT_TRUE(store_->items().Get("p", "a"));
  auto cursor = store_->OpenExport(std::string("p"));
  ASSERT_TRUE(cursor);
  const std::vector<Cell> items = ItemsOf(**cursor);
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(items[0].value, kept.value);
  EXPECT_EQ(items[0].accessed_ms, kept.accessed_ms + kMinute);
  cursor->reset();
  auto copy = store_->Copy(std::string("p"));
  ASSERT_TRUE(copy) << copy.error().message;
  store_.reset();
  options_.clock = &clock_;
  auto other = SqliteStore::Open(scratch_.File("other"), options_);
  ASSERT_TRUE(other);
  store_ = std::move(*other);
  auto foreign = store_->OpenCopy(copy->path());
  ASSERT_TRUE(foreign) << foreign.error().message;
  const std::vector<Cell> copied = ItemsOf(**foreign);
  ASSERT_EQ(copied.size(), 1u);
  EXPECT_EQ(*store_->items().Import(copied), std::vector<bool>{true});
  EXPECT_EQ(*store_->items().Import(copied), std::vector<bool>{false});
  auto read = store_->items().Get("p", "a");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->value, kept.value);
  EXPECT_EQ(read->created_ms, kept.created_ms);
  EXPECT_EQ(read->version, kept.version);
  EXPECT_EQ(Found("deep x"), Names({"a"}));
  EXPECT_GT(Stored("new", 1).version, kept.version);
}

TEST_F(ItemsTest, RewrittenItemIsIndexedOnce) {
  for (int i = 0; i < 300; ++i) Stored("k" + std::to_string(i % 7), "word " + std::to_string(i));
  EXPECT_EQ(Found("word").size(), 7u);
  EXPECT_EQ(InFile("SELECT count(*) FROM item_words WHERE item_words MATCH 'word'"), 7);
  ExpectSound();
}

}  // namespace
}  // namespace memory
