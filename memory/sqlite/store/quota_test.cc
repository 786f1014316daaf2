// Quotas of a tenant: at a limit the store refuses writes that grow it and accepts deletes.
#include <gtest/gtest.h>

#include "lib/testing/eventually.h"
#include "lib/testing/temporary_directory.h"
#include "memory/sqlite/store/sqlite_store.h"
#include "memory/store/memory_fixture.h"

namespace memory {
namespace {

class StoreQuota : public ::testing::Test {
 protected:
  void Open(TenantQuota quota) {
    store_.reset();
    StoreOptions options;
    options.quota = quota;
    options.erase_after = {};
    auto opened = SqliteStore::Open(scratch_.File("store"), options);
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = std::move(*opened);
  }
  base::Status Save(const std::string& content) {
    auto saved = store_->Save(Note(content), "", kMidnight);
    return saved ? base::Status() : saved.error();
  }
  void ExpectRefused(const base::Status& status, const std::string& quota) {
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, base::Code::kFull);
    EXPECT_NE(status.error().message.find(quota), std::string::npos) << status.error().message;
    EXPECT_NE(status.error().message.find("delete memories"), std::string::npos);
  }
  template <class T>
  static base::Status Outcome(const base::Result<T>& result) {
    return result ? base::Status() : result.error();
  }
  testing::TemporaryDirectory scratch_;
  std::unique_ptr<SqliteStore> store_;
};

TEST_F(StoreQuota, RowLimitRefusesWritesUntilADelete) {
  Open({3, 0});
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Save(std::to_string(i)));
  ExpectRefused(Save("one more"), "quota-rows: this namespace keeps 3 memories, the limit is 3");
  Patch patch;
  patch.content = "other";
  ExpectRefused(Outcome(store_->Update(1, patch, kMidnight)), "quota-rows");
  ExpectRefused(Outcome(store_->StartSession("new", "p", "", kMidnight)), "quota-rows");
  ExpectRefused(Outcome(store_->EndSession("s-p", {}, kMidnight)), "quota-rows");
  ExpectRefused(Outcome(store_->Import({}, ImportOptions())), "quota-rows");
  EXPECT_TRUE(store_->ProbeWrite());  // the server is well
  EXPECT_TRUE(store_->Get(1));
  ASSERT_TRUE(store_->Delete(1, false, kMidnight));
  EXPECT_TRUE(Save("one more"));
  ExpectRefused(Save("and more"), "quota-rows");
}

TEST_F(StoreQuota, ConversationsMayShrinkAtTheRowLimit) {
  Open({1, 0});
  ASSERT_TRUE(Save("the only one"));
  const auto callers = store_->Conversations("caller");
  using Space = conversation::Host::Space;
  const auto nothing = [](conversation::Rows&) { return base::Result<base::Json>(base::Json()); };
  ExpectRefused(Outcome(callers->Write(nothing, Space::kConsumes)), "quota-rows");
  EXPECT_TRUE(callers->Write(nothing, Space::kFrees));
}

TEST_F(StoreQuota, ExistingRowsCountAfterARestart) {
  Open({});
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(Save(std::to_string(i)));
  Open({5, 0});
  ExpectRefused(Save("one more"), "quota-rows");
  Open({6, 0});
  EXPECT_TRUE(Save("one more"));
}

TEST_F(StoreQuota, HardDeleteFreesBytesOfTheQuota) {
  Open({});
  const int64_t empty = store_->Usage().bytes;
  Open({0, empty + (512 << 10)});
  std::vector<int64_t> ids;
  for (bool taken = true; taken && ids.size() < 1000;) {
    auto saved = store_->Save(Note(std::to_string(ids.size()) + std::string(8'000, 'x')), "", 0);
    taken = saved.has_value();
    if (taken) ids.push_back(saved->id);
  }
  ASSERT_GT(ids.size(), 10u);
  ASSERT_LT(ids.size(), 1000u);
  ExpectRefused(Save("small"), "quota-bytes");
  for (int64_t id : ids) ASSERT_TRUE(store_->Delete(id, true, kMidnight));
  // Deleted rows give their pages back at once, their words when the eraser has merged the index.
  ASSERT_TRUE(testing::Eventually([&] { return store_->DueErasures() == 0; }));
  EXPECT_LT(store_->Usage().bytes, empty + (400 << 10));
  EXPECT_TRUE(Save("small"));
}

TEST_F(StoreQuota, ImportStopsAtTheRowLimit) {
  Open({10, 0});
  auto rows = [](int first) {
    std::vector<ExportedRow> rows(8);
    for (int i = 0; i < 8; ++i) {
      api::Observation& row = rows[static_cast<size_t>(i)].row;
      row.type = row.title = "t";
      row.content = std::to_string(first + i);
      row.project = row.session_id = "p";
      row.scope = "project";
      row.normalized_hash = api::NormalizedHash(row.content);
    }
    return rows;
  };
  EXPECT_TRUE(store_->Import(rows(0), {}));
  EXPECT_TRUE(store_->Import(rows(8), {}));  // what comes together is taken together
  ExpectRefused(Outcome(store_->Import(rows(16), {})), "quota-rows: this namespace keeps 16");
}

}  // namespace
}  // namespace memory
