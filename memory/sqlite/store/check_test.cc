// Checks find corruption in real files; the index is rebuilt from the rows.
#include "lib/testing/temporary_directory.h"
#include "memory/sqlite/store/damage_fixture.h"
#include "memory/sqlite/store/sqlite_store.h"

namespace memory {
namespace {

class StoreCheck : public ::testing::Test {
 protected:
  void Open() {
    StoreOptions options;
    options.on_damage = [this](const std::string& path, const base::Error&) {
      EXPECT_EQ(path, path_);
      ++met_;
    };
    auto opened = SqliteStore::Open(path_, options);
    if (opened) store_ = std::move(*opened);
  }
  // `bytes` of each row; closes the store.
  void Fill(int rows, size_t bytes) {
    Open();
    ASSERT_TRUE(store_);
    std::vector<ExportedRow> all(static_cast<size_t>(rows));
    for (size_t i = 0; i < all.size(); ++i) {
      api::Observation& row = all[i].row;
      row.type = row.title = "note";
      row.project = row.session_id = "p";
      row.scope = "project";
      row.content = "zeppelin " + std::to_string(i) + std::string(bytes, 'x');
      row.normalized_hash = api::NormalizedHash(row.content);
      row.created_ms = row.updated_ms = row.last_seen_ms = kMidnight;
    }
    auto taken = store_->Import(all, {});
    ASSERT_TRUE(taken) << taken.error().message;
    store_.reset();
  }
  size_t Found(const std::string& word) {
    Filter filter;
    filter.limit = 1000;
    auto found = store_->Search(filter, word, false);
    return found ? found->rows.size() : 0;
  }
  testing::TemporaryDirectory scratch_;
  const std::string path_ = scratch_.File("store");
  std::atomic<int> met_ = 0;
  std::unique_ptr<SqliteStore> store_;
};

TEST_F(StoreCheck, SoundFilePassesSmallAndLarge) {
  for (auto [rows, bytes] : {std::pair<int, size_t>{20, 10}, {700, 8'000}}) {
    scratch_.Remove("store");
    Fill(rows, bytes);
    Open();
    EXPECT_TRUE(store_->CheckTables({}));
    auto index = store_->CheckIndex({});
    EXPECT_TRUE(index) << index.error().message;
    store_.reset();
  }
  EXPECT_GT(std::filesystem::file_size(path_), 4u << 20);
  EXPECT_EQ(met_, 0);
}

TEST_F(StoreCheck, OverwrittenPageOfAnyTableIsFound) {
  for (const char* name : {"observations", "observations_twins", "observations_recent", "sessions",
                           "revisions", "words_data", "words_idx", "ranges", "counters"}) {
    scratch_.Remove("store");
    Fill(50, 100);
    OverwriteRoot(path_, name);
    if (HasFatalFailure()) return;
    met_ = 0;
    Open();
    if (!store_) {
      EXPECT_GT(met_, 0) << name << ": refused, and nobody was told";
      continue;
    }
    auto tables = store_->CheckTables({});
    ASSERT_FALSE(tables) << name;
    EXPECT_EQ(tables.error().code, base::Code::kInternal) << name;
    store_.reset();
  }
}

TEST_F(StoreCheck, DamageFoundByACallIsReported) {
  Fill(50, 100);
  OverwriteRoot(path_, "observations_twins");
  Open();
  ASSERT_TRUE(store_);
  EXPECT_EQ(met_, 0);
  EXPECT_FALSE(store_->Save(Note("new"), "", kMidnight));  // it looks for equal content
  EXPECT_GT(met_, 0);
  EXPECT_TRUE(store_->Get(1)) << "what is not damaged is still read";
}

// The index is written with the save that finds many rows waiting, and when nobody writes.
TEST_F(StoreCheck, DamagedIndexFailsAtMostOneBatchOfWrites) {
  Fill(50, 100);
  OverwriteRoot(path_, "words_data");
  bool broken = false;
  StoreOptions options;
  options.on_sync_failure = [&](const base::Error&) { broken = true; };
  auto opened = SqliteStore::Open(path_, options);
  ASSERT_TRUE(opened) << opened.error().message;
  int refused = 0;
  for (int i = 0; i < 1200; ++i)
    refused += !(*opened)->Save(Note("row " + std::to_string(i)), "", kMidnight);
  EXPECT_LE(refused, 2);
  auto found = (*opened)->Search({}, "zeppelin", false);
  EXPECT_TRUE(!found || found->partial);
  EXPECT_TRUE((*opened)->Save(Note("after it"), "", kMidnight));
  EXPECT_FALSE((*opened)->Failed());
  EXPECT_FALSE(broken);
}

TEST_F(StoreCheck, IndexInconsistentWithTablesIsRebuilt) {
  for (const char* damage : {kWordsAreNoise, kWordsAreStale}) {
    for (size_t bytes : {100, 8'000}) {
      SCOPED_TRACE(std::string(damage) + ", rows of " + std::to_string(bytes));
      scratch_.Remove("store");
      Fill(700, bytes);
      Tamper(path_, damage);
      if (HasFatalFailure()) return;
      Open();
      ASSERT_TRUE(store_);
      EXPECT_TRUE(store_->CheckTables({}));
      auto index = store_->CheckIndex({});
      ASSERT_FALSE(index);
      EXPECT_EQ(index.error().code, base::Code::kInternal) << index.error().message;
      auto rebuilt = store_->RebuildIndex();
      ASSERT_TRUE(rebuilt) << rebuilt.error().message;
      EXPECT_TRUE(store_->CheckIndex({}));
      EXPECT_EQ(Found("zeppelin"), 700u);
      EXPECT_EQ(Found("zebra"), damage == kWordsAreStale ? 1u : 0u);
      store_.reset();
    }
  }
}

TEST_F(StoreCheck, StoppedCheckReportsNoDamage) {
  Fill(700, 8'000);
  Open();
  std::stop_source stop;
  stop.request_stop();
  for (const base::Status& status :
       {store_->CheckTables(stop.get_token()), store_->CheckIndex(stop.get_token())}) {
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().code, base::Code::kInternal) << status.error().message;
  }
}

}  // namespace
}  // namespace memory
