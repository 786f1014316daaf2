// Pending rows of the full-text index, in a store without resident indexes.
#include "memory/sqlite/tables/waiting.h"

#include <thread>

#include "lib/sqlite/database.h"
#include "memory/sqlite/store/store_fixture.h"

namespace memory {
namespace {

class StoreIndexTest : public StoreTest {
 protected:
  StoreIndexTest() { OpenWithIdle(std::chrono::hours(1)); }
  void OpenWithIdle(std::chrono::milliseconds idle,
                    std::chrono::milliseconds wait = std::chrono::minutes(1)) {
    StoreOptions options;
    options.index_bytes = 0;
    options.index_idle = idle;
    options.index_wait = wait;
    Reopen(options);
  }
  int64_t Waiting() {
    auto database = sqlite::Database::Open(scratch_.File("store"), {sqlite::Access::kReader});
    EXPECT_TRUE(database) << database.error().message;
    auto count = database->Prepare("SELECT count(*) FROM waiting");
    EXPECT_TRUE(count && *count->Step());
    return count->Int(0);
  }
};

TEST_F(StoreIndexTest, SavedRowIsFoundAtOnce) {
  MustSave(Note("the zeppelin landed"));
  EXPECT_EQ(Find("zeppelin"), Ids{1});
  EXPECT_EQ(Waiting(), 0);
  MustSave(Note("a zeppelin rose", "q"));
  EXPECT_EQ(store_->Search({}, "zeppelin", false)->rows.size(), 2u);
  MustSave(Note("one more zeppelin"));
  EXPECT_EQ(Find("zeppelin AND more", {}, true), Ids{3});
}

TEST_F(StoreIndexTest, IndexIsSoundWhileWaitingRowsChange) {
  for (int i = 0; i < 6; ++i) MustSave(Note("alpha " + std::to_string(i)));
  EXPECT_EQ(Waiting(), 6);
  Patch patch;
  patch.content = "beta";
  ASSERT_TRUE(store_->Update(2, patch, kMidnight));
  ASSERT_TRUE(store_->Delete(3, false, kMidnight));
  ASSERT_TRUE(store_->Delete(4, true, kMidnight));
  ExpectSound();
  EXPECT_EQ(Waiting(), 4);
  EXPECT_EQ(Find("beta"), Ids{2});
  EXPECT_EQ(store_->Search({}, "alpha", false)->rows.size(), 3u);
  ASSERT_TRUE(store_->Update(1, patch, kMidnight));
  ASSERT_TRUE(store_->Delete(2, true, kMidnight));
  EXPECT_EQ(Find("beta"), Ids{1});
  ExpectSound();
}

TEST_F(StoreIndexTest, WaitingRowsAreIndexedWhenIdle) {
  OpenWithIdle(std::chrono::milliseconds(1));
  MustSave(Note("alpha"));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (Waiting() > 0 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  EXPECT_EQ(Waiting(), 0);
}

TEST_F(StoreIndexTest, ManyOrLongRowsAreIndexedWithoutIdleTime) {
  std::vector<ExportedRow> rows(600);
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i].row.session_id = "s", rows[i].row.project = "p", rows[i].row.type = "note";
    rows[i].row.scope = "project", rows[i].row.title = "t";
    rows[i].row.content = "alpha " + std::to_string(i);
    rows[i].row.normalized_hash = std::to_string(i);
  }
  ASSERT_TRUE(store_->Import(rows, {}));
  ASSERT_TRUE(store_->ProbeWrite());  // comes after what follows the import
  EXPECT_EQ(Waiting(), 0);
  for (std::string letter : {"a", "b", "c", "d", "e", "f"}) {
    std::string text;
    while (text.size() < 45'000) text += letter + " word ";
    MustSave(Note(text));
  }
  ASSERT_TRUE(store_->ProbeWrite());
  EXPECT_EQ(Waiting(), 0);
}

TEST_F(StoreIndexTest, RowsSavedOneByOneAreIndexedInBatches) {
  MustSave(Note("the zeppelin landed"));
  EXPECT_EQ(Find("zeppelin"), Ids{1}) << "the row does not wait any more, and counts until then";
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 511; ++i) MustSave(Note("row " + std::to_string(round * 1000 + i)));
    ASSERT_TRUE(store_->ProbeWrite());
    EXPECT_EQ(Waiting(), 511);
    MustSave(Note("the last one " + std::to_string(round)));
    ASSERT_TRUE(store_->ProbeWrite());
    EXPECT_EQ(Waiting(), 0);
  }
}

TEST_F(StoreIndexTest, BlockedWriterDelaysNoReader) {
  MustSave(Note("the zeppelin landed"));
  EXPECT_EQ(Find("zeppelin"), Ids{1});
  OpenWithIdle(std::chrono::hours(1), std::chrono::milliseconds(50));
  MustSave(Note("the next zeppelin"));
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(scratch_.File("store").c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  auto found = store_->Search({}, "zeppelin", false);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->partial);
  EXPECT_EQ(found->rows.size(), 1u);
  sqlite3_close(other);
  OpenWithIdle(std::chrono::hours(1));
  EXPECT_EQ(store_->Search({}, "zeppelin", false)->rows.size(), 2u);
}

// A pass that fails every time, whatever the reason: here a part of the index is not there.
TEST_F(StoreIndexTest, FailedIndexPassKeepsWritesWorking) {
  int failures = 0;
  StoreOptions options;
  options.index_bytes = 0;
  options.index_idle = std::chrono::hours(1);
  options.on_sync_failure = [&](const base::Error&) { ++failures; };
  store_.reset();
  {
    auto file = sqlite::Database::Open(scratch_.File("store"), {sqlite::Access::kScratch});
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_TRUE(file->Execute("DROP TABLE words_idx"));
  }
  for (int life = 0; life < 2; ++life) {
    Reopen(options);
    for (int i = 0; i < 520; ++i)
      MustSave(Note("life " + std::to_string(life) + " row " + std::to_string(i)));
    EXPECT_FALSE(store_->Failed());
    EXPECT_EQ(failures, 0);
  }
  EXPECT_EQ(Waiting(), 1040);
  EXPECT_EQ(store_->Get(1040)->id, 1040);
}

}  // namespace
}  // namespace memory
