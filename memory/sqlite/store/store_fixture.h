// A store in a scratch directory, for the tests of what it keeps and finds. Test code.
#pragma once

#include <gtest/gtest.h>

#include "lib/testing/temporary_directory.h"
#include "memory/sqlite/store/sqlite_store.h"
#include "memory/store/memory_fixture.h"

namespace memory {

using Ids = std::vector<int64_t>;

class StoreTest : public ::testing::Test {
 protected:
  StoreTest() { Reopen(); }
  void Reopen(StoreOptions options = {}) {
    store_.reset();
    auto opened = SqliteStore::Open(scratch_.File("store"), std::move(options));
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = std::move(*opened);
  }
  Saved MustSave(const api::NewObservation& note, int64_t now_ms = kMidnight,
                 const std::string& key = "") {
    auto saved = store_->Save(note, key, now_ms);
    EXPECT_TRUE(saved) << saved.error().message;
    return saved ? *saved : Saved();
  }
  std::vector<int64_t> Find(const std::string& text, Filter filter = {}, bool operators = false) {
    auto found = store_->Search(filter, text, operators);
    EXPECT_TRUE(found) << found.error().message;
    std::vector<int64_t> ids;
    for (const Found& hit : found->rows) ids.push_back(hit.row.id);
    return ids;
  }
  Filter In(const std::string& project) {
    Filter filter;
    filter.project = project;
    return filter;
  }
  void ExpectSound() {
    auto sound = store_->CheckIntegrity();
    EXPECT_TRUE(sound) << sound.error().message;
  }

  testing::TemporaryDirectory scratch_;
  std::unique_ptr<SqliteStore> store_;
};

}  // namespace memory
