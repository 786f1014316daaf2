// Test code: observations in a file and on the fake, by one switch.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "lib/sqlite/database.h"
#include "lib/testing/fake_clock.h"
#include "memory/keeping/retelling.h"
#include "memory/rows/fake_observations_fixture.h"
#include "memory/sqlite/tables/live.h"
#include "memory/sqlite/tables/migrated_file_fixture.h"
#include "memory/sqlite/tables/retired.h"
#include "memory/sqlite/writing/observation_rows.h"
#include "memory/store/memory_fixture.h"

namespace memory {

inline constexpr int64_t kDedupWindow = 15 * kMinute;
inline constexpr const char* kSalt = "salt";

// A file with rows.
class FileRows {
 public:
  FileRows() {
    EXPECT_TRUE(Liveness::RegisterFunction(std::make_shared<Liveness>(clock_), file_.database()));
  }
  sqlite::Database& database() { return file_.database(); }
  Observations& rows() { return rows_; }
  void Retire(RowId row) { EXPECT_TRUE(memory::Retire(database(), row, "ttl", kMidnight)); }
  void Remove(RowId row) {  // as the end of a hard delete
    const std::string slot = std::to_string(row);
    Execute("INSERT INTO tombstones SELECT id, 1 FROM observations WHERE slot = " + slot);
    Execute("DELETE FROM observations WHERE slot = " + slot);
  }
  void ForgetDeletions() { Execute("DELETE FROM deletions"); }

 private:
  void Execute(const std::string& sql) { EXPECT_TRUE(database().Execute(sql.c_str())) << sql; }
  ::testing::FakeClock clock_{kMidnight};
  MigratedFile file_;
  SqliteObservations rows_{file_.database()};
};

inline base::Result<Saved> SaveTo(Observations& rows, const api::NewObservation& made,
                                  int64_t now_ms) {
  Saving saving(made, FactsOf(made.title, made.content), kSalt, kDedupWindow, now_ms);
  if (MayRetell(saving.made)) saving.said.emplace(saving.made.title, saving.made.content);
  return SaveObservation(rows, saving);
}

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

}  // namespace memory
