// Test code: a state.db with a history, ways to damage it, and the invariants of every recovered
// file.
#pragma once

#include <gtest/gtest.h>

#include <random>

#include "lib/conversation/conversations.h"
#include "lib/conversation/sqlite/rows.h"
#include "lib/testing/temporary_directory.h"
#include "sidecar/outbox/outbox.h"
#include "sidecar/state/salvage.h"
#include "sidecar/state/state.h"
#include "sidecar/tables/answered_events.h"

namespace sidecar {

namespace fs = std::filesystem;

inline constexpr int kRows = 300, kDelivered = 40, kDead = 30;
inline constexpr size_t kPage = 4096;

class Damaged : public ::testing::Test {
 protected:
  // Makes a file with a history in `good_`; `crashed`: with its WAL.
  void Make(bool crashed) {
    auto state = Open();
    ASSERT_TRUE(state);
    for (int i = 0; i < kRows; ++i) {
      ASSERT_TRUE((*state)->Change([&](sqlite::Database& db) { return WriteOne(db, i); }));
    }
    if (!crashed) state->reset();
    fs::copy(Path(), good_.path(), fs::copy_options::recursive);
  }
  static base::Status WriteOne(sqlite::Database& db, int i) {
    const std::string number = std::to_string(i);
    conversation::Message message;
    message.role = "user";
    message.content = "message " + number + std::string(100, '.');
    OutboxRow row;
    row.lane = "s" + std::to_string(i % 5);
    row.kind = "observation";
    row.path = "/observations";
    row.body = base::DumpJson({{"content", "capture " + number + std::string(200, '.')}});
    row.idempotency_key = "key" + number;
    conversation::SqliteRows rows(db);
    RETURN_IF_ERROR(conversation::Append(rows, "c" + std::to_string(i % 5), {message}, i));
    RETURN_IF_ERROR(Enqueue(db, row, {}));
    RETURN_IF_ERROR(SaveAnswer(db, "c", number, "{}", i));
    if (i < kDelivered) RETURN_IF_ERROR(MarkDelivered(db, i + 1));
    if (i >= kRows - kDead) RETURN_IF_ERROR(MarkDead(db, i + 1, "400", "no"));
    return {};
  }
  std::string Path() const { return work_.path() + "/state"; }
  std::string File() const { return Path() + "/state.db"; }
  void Reset() {
    fs::remove_all(Path());
    fs::copy(good_.path(), Path(), fs::copy_options::recursive);
  }
  static void Overwrite(const std::string& file, size_t at, const std::string& bytes) {
    std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
    out.seekp(static_cast<std::streamoff>(at));
    out << bytes;
    ASSERT_TRUE(out.good());
  }
  void DamageTable(const char* damaged_table) {
    int64_t at = 0;
    {
      auto db = sqlite::Database::Open(File(), {});
      ASSERT_TRUE(db);
      auto page = db->Prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?");
      ASSERT_TRUE(page);
      page->Bind(damaged_table);
      ASSERT_TRUE(*page->Step());
      at = (page->Int(0) - 1) * static_cast<int64_t>(kPage);
    }
    Overwrite(File(), static_cast<size_t>(at), Noise(kPage));
  }
  std::string Noise(size_t size) {
    std::string bytes(size, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random_());
    return bytes;
  }
  base::Result<std::unique_ptr<State>> Open() {
    return State::Open(Path(), [](const base::Error&) {});
  }
  static OutboxTotals Totals(State& state) {
    return *state.Read([](sqlite::Database& db) { return ReadTotals(db); });
  }
  static base::Json Said(State& state) {
    return *state.Read([](sqlite::Database& db) { return Damages(db); });
  }
  // Checks the invariants of a recovered file: its counters balance, and it accepts writes.
  void ExpectUsable(State& state) {
    const OutboxTotals totals = Totals(state);
    EXPECT_EQ(totals.accepted, totals.delivered + totals.pending + totals.dead + totals.discarded);
    const auto rows = *state.Read([](sqlite::Database& db) { return PendingRows(db, 0, 10'000); });
    EXPECT_EQ(static_cast<int64_t>(rows.size()), totals.pending);
    EXPECT_TRUE(state.Change([&](sqlite::Database& db) { return WriteOne(db, next_++); }));
    EXPECT_TRUE(state.Read([](sqlite::Database& db) { return db.CheckIntegrity({}); }));
  }
  size_t FilesAside() const {
    size_t count = 0;
    for (const auto& entry : fs::directory_iterator(Path())) {
      const std::string name = entry.path().filename();
      count += (name.starts_with("state.db.damaged-") || name.starts_with("state.db.salvaged-")) &&
               name.find("-wal") == std::string::npos && name.find("-shm") == std::string::npos;
    }
    return count;
  }

  testing::TemporaryDirectory work_, good_;
  int next_ = 100'000;
  const uint64_t seed_ = std::random_device{}();
  std::mt19937_64 random_{seed_};
};

}  // namespace sidecar
