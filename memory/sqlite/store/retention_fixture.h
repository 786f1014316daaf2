// A store with a clock that a test moves, for the tests of retention. Test code.
#pragma once

#include <set>

#include "lib/sqlite/database.h"
#include "lib/testing/fake_clock.h"
#include "memory/sqlite/store/store_fixture.h"

namespace memory {

inline constexpr int64_t kHour = 60 * kMinute;

class RetentionTest : public StoreTest {
 protected:
  RetentionTest() : clock_(kMidnight) {
    options_.clock = &clock_;
    options_.keep_used_ms = kDay;
    options_.deleted_ms = 2 * kDay;
    Start();
  }
  void Start() {
    store_.reset();
    auto opened = SqliteStore::Open(scratch_.File("kept"), options_);
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = std::move(*opened);
  }
  int64_t Save(const std::string& content, const std::string& type = "discovery",
               const std::string& project = "p") {
    api::NewObservation note = Note(content, project);
    note.type = type;
    return MustSave(note, clock_.NowMs()).id;
  }
  Saved SaveTopic(const std::string& topic, const std::string& content) {
    api::NewObservation note = Note(content);
    note.topic_key = topic;
    return MustSave(note, clock_.NowMs());
  }
  void SetRules(const std::string& project, const std::string& rules) {
    auto decoded = DecodeRetention(*base::ParseJson(rules));
    ASSERT_TRUE(decoded) << decoded.error().message;
    auto set = store_->SetRetention(project, *decoded);
    ASSERT_TRUE(set) << set.error().message;
  }
  Swept MustSweep() {
    auto swept = store_->Sweep({});
    EXPECT_TRUE(swept) << swept.error().message;
    return swept ? *swept : Swept();
  }
  Ids Listed() {
    Filter filter;
    filter.limit = 10'000;
    auto rows = store_->Recent(filter);
    EXPECT_TRUE(rows);
    Ids ids;
    for (const auto& row : *rows) ids.push_back(row.id);
    return ids;
  }
  static Ids Walked(ExportCursor& cursor) {
    Ids ids;
    EXPECT_TRUE(cursor.WalkObservations(false, [&](const ExportedRow& row) {
      ids.push_back(row.row.id);
      return base::Status();
    }));
    return ids;
  }
  Ids Exported() {
    auto cursor = store_->OpenExport({});
    EXPECT_TRUE(cursor);
    return Walked(**cursor);
  }
  // All rows of the file, also hidden ones.
  int64_t InFile(const char* sql) {
    sqlite::Database::Options reading;
    reading.access = sqlite::Access::kReader;
    auto database = sqlite::Database::Open(scratch_.File("kept"), reading);
    EXPECT_TRUE(database);
    auto read = database->Prepare(sql);
    EXPECT_TRUE(read);
    auto row = read->Step();
    return row && *row ? read->Int(0) : -1;
  }

  ::testing::FakeClock clock_;
  StoreOptions options_;
};

}  // namespace memory
