// The WAL of a store under readers, copies and checks. Real files.
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "lib/sqlite/database.h"
#include "memory/sqlite/store/damage_fixture.h"
#include "memory/sqlite/store/export.h"
#include "memory/sqlite/store/store_fixture.h"

namespace memory {
namespace {

class StoreLogTest : public StoreTest {
 protected:
  int64_t LogBytes() const {
    struct stat facts {};
    return stat((scratch_.File("store") + "-wal").c_str(), &facts) == 0 ? facts.st_size : 0;
  }
  void WriteMany(int rows) {
    for (int i = 0; i < rows; ++i)
      MustSave(Note(std::to_string(written_++) + std::string(200'000, 'x')));
  }
  int written_ = 0;
};

TEST_F(StoreLogTest, SlowExportDoesNotGrowTheWal) {
  WriteMany(3);
  auto cursor = store_->OpenExport({});
  ASSERT_TRUE(cursor);
  int sessions = 0;
  Ids seen;
  EXPECT_TRUE((*cursor)->WalkSessions([&](const api::Session&) -> base::Status {
    ++sessions;
    return {};
  }));
  EXPECT_TRUE((*cursor)->WalkObservations(false, [&](const ExportedRow& row) -> base::Status {
    seen.push_back(row.row.id);
    WriteMany(40);  // while the client takes its time
    return {};
  }));
  EXPECT_EQ(sessions, 1);
  EXPECT_EQ(seen, (Ids{1, 2, 3}));
  EXPECT_LE(LogBytes(), 8 << 20) << "of 24 MB that were written";
}

TEST_F(StoreLogTest, PagedExportHasEachRowOnce) {
  WriteMany(12);
  for (int i = 0; i < 600; ++i) MustSave(Note("small " + std::to_string(i), i % 2 ? "p" : "q"));
  for (auto [project, rows] : {std::pair{std::optional<std::string>(), 612u}, {"q", 300u}}) {
    auto cursor = store_->OpenExport(project);
    ASSERT_TRUE(cursor);
    Ids seen;
    ASSERT_TRUE((*cursor)->WalkObservations(false, [&](const ExportedRow& row) {
      seen.push_back(row.row.id);
      return base::Status();
    }));
    EXPECT_EQ(seen.size(), rows);
    EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end(), std::less_equal<>()));
  }
}

// A snapshot that nobody ends: no read of a server lasts so long, a person's tool may.
TEST_F(StoreLogTest, WalHeldByAReaderIsLimitedAndCounted) {
  StoreOptions options;
  options.max_log_bytes = 8 << 20;
  Reopen(options);
  WriteMany(1);
  const int64_t before = store_->Usage().bytes;
  auto reader = sqlite::Database::Open(scratch_.File("store"), {sqlite::Access::kReader});
  ASSERT_TRUE(reader && reader->Execute("BEGIN; SELECT count(*) FROM observations"));
  base::Status refused;
  int rows = 0;
  for (; refused && rows < 200; ++rows) {
    auto saved =
        store_->Save(Note(std::to_string(rows) + std::string(200'000, 'y')), "", kMidnight);
    if (!saved) refused = saved.error();
  }
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::Code::kUnavailable);
  EXPECT_NE(refused.error().message.find("max-log"), std::string::npos) << refused.error().message;
  EXPECT_GT(LogBytes(), 4 << 20);
  EXPECT_LE(LogBytes(), 11 << 20) << "the limit, and two writes with what follows them";
  EXPECT_GE(store_->Usage().log_bytes, 8 << 20);
  EXPECT_GE(store_->Usage().bytes, before + (8 << 20));
  EXPECT_TRUE(store_->Get(1)) << "reads go on";
  EXPECT_FALSE(store_->Failed());
  ASSERT_TRUE(reader->Execute("ROLLBACK"));
  EXPECT_TRUE(Eventually([&] { return bool(store_->Save(Note("after it"), "", kMidnight)); }));
  EXPECT_EQ(store_->Usage().log_bytes, 0);
  EXPECT_LE(LogBytes(), 1 << 20);
}

// A reader keeps the WAL at its limit, where the writer ends copies again and again: one copy after
// the other, until it ends one.
TEST_F(StoreLogTest, CopyIsEndedAtTheWalLimit) {
  StoreOptions options;
  options.max_log_bytes = 1 << 20;
  Reopen(options);
  WriteMany(100);
  auto reader = sqlite::Database::Open(scratch_.File("store"), {sqlite::Access::kReader});
  ASSERT_TRUE(reader && reader->Execute("BEGIN; SELECT count(*) FROM observations"));
  while (store_->Save(Note(std::to_string(written_++) + std::string(200'000, 'x')), "", kMidnight))
    ASSERT_LT(written_, 200);
  base::Status ended;
  EXPECT_TRUE(Eventually([&] {
    auto copy = store_->Copy(std::nullopt);
    if (!copy) ended = copy.error();
    return !copy;
  }));
  ASSERT_TRUE(reader->Execute("ROLLBACK"));
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, base::Code::kUnavailable);
  for (const char* part : {"copy was ended", "1048576", "max-log", "format=jsonl"})
    EXPECT_NE(ended.error().message.find(part), std::string::npos) << ended.error().message;
  EXPECT_TRUE(Eventually([&] { return bool(store_->Save(Note("after it"), "", kMidnight)); }));
  EXPECT_TRUE(store_->Copy(std::nullopt)) << "beside nobody";
  ExpectSound();
}

TEST_F(StoreLogTest, CopyNeedsSpaceForTheWalToo) {
  WriteMany(1);
  store_.reset();
  const std::string path = scratch_.File("store");
  std::ofstream(path + "-wal").flush();
  std::filesystem::resize_file(path + "-wal", std::filesystem::space(path).available);  // a hole
  auto spool = Spool::Make(path);
  ASSERT_TRUE(spool);
  const base::Status copied = CopyInto(path, *spool);
  std::filesystem::remove(path + "-wal");
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().code, base::Code::kFull) << copied.error().message;
}

TEST_F(StoreLogTest, ChecksDuringWritesDoNotGrowTheWal) {
  WriteMany(30);
  std::atomic<bool> checked = false;
  std::atomic<int> written = 0;
  int64_t longest = 0;
  std::thread writer([&] {
    while (!checked || written < 60) {
      WriteMany(1);
      ++written;
      longest = std::max(longest, LogBytes());
    }
  });
  do {
    auto tables = store_->CheckTables({});
    EXPECT_TRUE(tables) << tables.error().message;
    auto index = store_->CheckIndex({});
    EXPECT_TRUE(index) << index.error().message;
  } while (written < 60);
  checked = true;
  writer.join();
  EXPECT_LE(longest, 8 << 20) << "of " << written << " rows of 200 KB";
}

}  // namespace
}  // namespace memory
