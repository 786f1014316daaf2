// Test code: observations in a file and on the fake, by one switch.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "lib/testing/fake_clock.h"
#include "lib/testing/temporary_directory.h"
#include "memory/keeping/retelling.h"
#include "memory/rows/fake_observations_fixture.h"
#include "memory/sqlite/tables/live.h"
#include "memory/sqlite/tables/retired.h"
#include "memory/sqlite/tables/schema.h"
#include "memory/sqlite/writing/observation_rows.h"
#include "memory/store/memory_fixture.h"

namespace memory {

inline constexpr int64_t kDedupWindow = 15 * kMinute;
inline constexpr const char* kSalt = "salt";

// A file with rows.
class FileRows {
 public:
  FileRows() : database_(Open(directory_.File("rows.db"))), rows_(database_) {
    EXPECT_TRUE(sqlite::Migrate(database_, SchemaSteps()));
    EXPECT_TRUE(Liveness::RegisterFunction(std::make_shared<Liveness>(clock_), database_));
    Execute("PRAGMA synchronous = OFF");
  }
  Observations& rows() { return rows_; }
  void Retire(RowId row) { EXPECT_TRUE(memory::Retire(database_, row, "ttl", kMidnight)); }
  void Remove(RowId row) {  // as the end of a hard delete
    const std::string slot = std::to_string(row);
    Execute("INSERT INTO tombstones SELECT id, 1 FROM observations WHERE slot = " + slot);
    Execute("DELETE FROM observations WHERE slot = " + slot);
  }
  void ForgetDeletions() { Execute("DELETE FROM deletions"); }

 private:
  static sqlite::Database Open(const std::string& path) {
    auto opened = sqlite::Database::Open(path, {});
    EXPECT_TRUE(opened) << opened.error().message;
    return *std::move(opened);
  }
  void Execute(const std::string& sql) { EXPECT_TRUE(database_.Execute(sql.c_str())) << sql; }
  const testing::TemporaryDirectory directory_;
  ::testing::FakeClock clock_{kMidnight};
  sqlite::Database database_;
  SqliteObservations rows_;
};

inline base::Result<Saved> SaveTo(Observations& rows, const api::NewObservation& made,
                                  int64_t now_ms) {
  Saving saving(made, FactsOf(made.title, made.content), kSalt, kDedupWindow, now_ms);
  if (MayRetell(saving.made)) saving.said.emplace(saving.made.title, saving.made.content);
  return SaveObservation(rows, saving);
}

enum class RowEngine { kFake, kSqlite };

class ObservationsTest : public ::testing::TestWithParam<RowEngine> {
 protected:
  ObservationsTest() {
    if (GetParam() == RowEngine::kSqlite) file_ = std::make_unique<FileRows>();
  }
  Observations& rows() { return file_ ? file_->rows() : static_cast<Observations&>(fake_); }
  Saved MustSave(const api::NewObservation& made, int64_t now_ms = kMidnight) {
    auto saved = SaveTo(rows(), made, now_ms);
    EXPECT_TRUE(saved) << saved.error().message;
    return saved ? *saved : Saved();
  }
  static api::NewObservation By(const char* origin, const std::string& content,
                                const std::string& topic = "") {
    api::NewObservation made = Note(content);
    made.source.origin = origin;
    made.topic_key = topic;
    return made;
  }
  RowPlace PlaceOf(int64_t id) {
    const auto place = rows().Find(id);
    EXPECT_TRUE(place && *place) << "there is no row " << id;
    return place && *place ? **place : RowPlace();
  }
  bool IsLive(int64_t id) { return PlaceOf(id).live; }
  void Retire(int64_t id) {
    const RowId row = PlaceOf(id).row;
    file_ ? file_->Retire(row) : fake_.Retire(row);
  }
  void Remove(int64_t id) {
    const RowId row = PlaceOf(id).row;
    file_ ? file_->Remove(row) : fake_.Remove(row);
  }
  void ForgetDeletions() { file_ ? file_->ForgetDeletions() : fake_.ForgetDeletions(); }
  FakeObservations fake_;

 private:
  std::unique_ptr<FileRows> file_;
};

inline constexpr auto kNameOfRowEngine = [](const ::testing::TestParamInfo<RowEngine>& info) {
  return info.param == RowEngine::kFake ? "Fake" : "Sqlite";
};

}  // namespace memory
