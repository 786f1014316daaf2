// Rows and items that an earlier version cut into words are found before, while and after the
// background cuts them anew.
#include "lib/sqlite/database.h"
#include "memory/model/words.h"
#include "memory/sqlite/store/store_fixture.h"
#include "memory/sqlite/tables/waiting.h"

namespace memory {
namespace {

using sqlite::Database;
using sqlite::Statement;

constexpr int kUncutNotes = 600;  // of several steps

class CutWordsTest : public StoreTest {
 protected:
  static std::string TextOf(int i) {
    switch (i % 4) {
      case 0:
        return "zeppelin Straße und βάση " + std::to_string(i);
      case 1:
        return "zeppelin host 10.0.0.12 " + std::to_string(i);
      case 2:
        return "zeppelin 数据库 ไทย " + std::to_string(i);
      default:
        return "zeppelin OvertimeService " + std::to_string(i);
    }
  }
  void PutItem(const std::string& key, const std::string& text) {
    EXPECT_TRUE(store_->items().Put({"p", key, base::DumpJson(text)}, {}));
  }
  size_t FoundItemsBy(const std::string& query) {
    auto found = store_->items().Retrieve("p", query, 1000);
    EXPECT_TRUE(found) << found.error().message;
    return found->rows.size();
  }
  size_t FoundBy(const std::string& query) {
    Filter filter = In("p");
    filter.limit = 1000;
    return Find(query, filter).size();
  }
  // The file as the program before left it: with its grams in rows and indexes.
  void WriteAsBefore() {
    for (int i = 0; i < kUncutNotes; ++i) MustSave(Note(TextOf(i)));
    for (int i = 0; i < 200; ++i) PutItem("k" + std::to_string(i), TextOf(i));
    store_.reset();
    auto file = Database::Open(scratch_.File("store"), {sqlite::Access::kWriter});
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_TRUE(file->Execute("BEGIN"));
    std::vector<std::pair<int64_t, std::string>> rows;
    {
      auto read = file->Prepare("SELECT slot, title || ' ' || content FROM observations");
      ASSERT_TRUE(read->ForEachRow(
          [&](const Statement& row) { rows.emplace_back(row.Int(0), FormerGrams(row.Text(1))); }));
    }
    for (const auto& [slot, grams] : rows) {
      ASSERT_TRUE(RemoveFromIndex(*file, slot));
      auto put = file->Prepare("UPDATE observations SET grams = ?2 WHERE slot = ?1");
      ASSERT_TRUE(put->Bind(slot).Bind(std::string_view(grams)).Run());
      ASSERT_TRUE(AddToIndex(*file, slot));
    }
    ASSERT_TRUE(IndexWaiting(*file));
    ASSERT_TRUE(
        file->Execute("INSERT INTO item_words(item_words) VALUES('delete-all');"
                      "UPDATE items SET cut = 0;"
                      "INSERT INTO counters VALUES('cut_rows', 0), ('cut_items', 0)"));
    struct Stored {
      int64_t slot;
      std::string key, text;
    };
    std::vector<Stored> items;
    {
      auto read = file->Prepare("SELECT slot, key, value ->> '$' FROM items ORDER BY slot");
      ASSERT_TRUE(read->ForEachRow([&](const Statement& row) {
        items.push_back({row.Int(0), row.Text(1), row.Text(2) + "\n"});
      }));
    }
    for (const auto& [slot, key, text] : items) {
      auto put = file->Prepare(
          "INSERT INTO item_words(rowid, title, content, tags, grams) "
          "VALUES(?1, ?2, ?3, '', ?4)");
      put->Bind(slot).Bind(key).Bind(text);
      ASSERT_TRUE(put->Bind(FormerGrams(key + ' ' + text)).Run());
    }
    ASSERT_TRUE(file->Execute("COMMIT"));
  }
  void ExpectAllFound() {
    for (const char* query : {"10.0.0.12", "数据", "βάση", "OvertimeService"}) {
      EXPECT_GE(FoundBy(query), size_t{kUncutNotes} / 4) << query;
      EXPECT_EQ(FoundItemsBy(query), 50u) << query;
    }
    EXPECT_GE(FoundBy("zeppelin"), size_t{kUncutNotes});
    EXPECT_EQ(FoundItemsBy("zeppelin"), 200u);
  }
  static StoreOptions Patient(size_t index_bytes) {
    StoreOptions options;
    options.index_bytes = index_bytes;
    options.index_at_once = index_bytes > 0;
    options.query_deadline_ms = 60'000;
    return options;
  }
};

TEST_F(CutWordsTest, EachStepFindsAllRowsAlsoAfterACrash) {
  Reopen(Patient(0));
  WriteAsBefore();
  Reopen(Patient(0));
  ExpectSound();
  EXPECT_EQ(FoundBy("strasse"), 0u);
  const int64_t now = MustSave(Note("zeppelin auf der neuen Straße")).id;
  EXPECT_EQ(Find("STRASSE"), Ids({now}));
  int steps = 0;
  for (bool more = true; more; ++steps) {
    SCOPED_TRACE("step " + std::to_string(steps));
    ASSERT_LT(steps, 100);
    ExpectAllFound();
    auto cut = store_->CutWords();
    ASSERT_TRUE(cut) << cut.error().message;
    more = *cut;
    if (steps == 1) Reopen(Patient(64 << 20));  // as after a kill: the step is committed
    if (steps == 2) {
      EXPECT_GT(store_->UncutRows(), 0);
      PutItem("k0", TextOf(4));
      PutItem("k199", TextOf(199) + " other words");
      EXPECT_TRUE(store_->items().Remove("p", "k198"));
      PutItem("k198", TextOf(198));
    }
  }
  EXPECT_GE(steps, 4);
  EXPECT_EQ(store_->UncutRows(), 0);
  ExpectAllFound();
  EXPECT_EQ(FoundBy("strasse"), size_t{kUncutNotes} / 4 + 1);
  EXPECT_EQ(FoundItemsBy("strasse"), 50u);
  EXPECT_EQ(FoundBy("overtime"), size_t{kUncutNotes} / 4);
  EXPECT_EQ(FoundItemsBy("overtime"), 50u);
  ExpectSound();
  auto copy = store_->Copy({});
  ASSERT_TRUE(copy) << copy.error().message;
}

}  // namespace
}  // namespace memory
