// What every kind of cell of CellTables() gets from its row: a kind that is added runs here, too.
#include "memory/sqlite/cells/cell_tables.h"

#include "memory/sqlite/store/retention_fixture.h"

namespace memory {
namespace {

class CellTablesTest : public RetentionTest {
 protected:
  // Each test has one kind alone: a file that keeps the others would hide what the kind lacks.
  void ForEachKind(const std::function<void(const CellTable&, KeptCells&)>& run) {
    for (const CellTable& table : CellTables()) {
      SCOPED_TRACE(table.kind.name);
      store_.reset();
      for (const char* file : {"kept", "kept-wal", "kept-shm"}) scratch_.Remove(file);
      Start();
      run(table, store_->cells(table.kind));
    }
  }
  static void Put(KeptCells& cells, const std::string& key, int64_t ttl_ms) {
    Cell cell{"p", key, "\"text of " + key + "\""};
    cell.ttl_ns = ttl_ms * 1'000'000;
    ASSERT_TRUE(cells.Put(cell, {}));
  }
};

TEST_F(CellTablesTest, ClockOfExpiryIsKeptForEachKindAlone) {
  ForEachKind([&](const CellTable& table, KeptCells& cells) {
    Put(cells, "hour", kHour);
    Put(cells, "week", 7 * kDay);
    clock_.Advance(kHour);
    EXPECT_FALSE(cells.Get("p", "hour"));
    clock_.Jump(-kDay);
    Start();  // goes on with the clock that is on record
    EXPECT_FALSE(store_->cells(table.kind).Get("p", "hour"));
    EXPECT_TRUE(store_->cells(table.kind).Get("p", "week"));
  });
}

TEST_F(CellTablesTest, SweepCountsEachKindByItsName) {
  ForEachKind([&](const CellTable& table, KeptCells& cells) {
    Put(cells, "fleeting", 1);
    Put(cells, "lasting", kHour);
    clock_.Advance(1);
    const Swept swept = MustSweep();
    for (const auto& [name, rows] : swept.expired)
      EXPECT_EQ(rows, name == table.kind.name ? 1 : 0) << name;
    EXPECT_EQ(swept.expired.count(table.kind.name), 1u);
  });
}

TEST_F(CellTablesTest, WalkAndCopyHaveLiveCellsOfTheKind) {
  ForEachKind([&](const CellTable& table, KeptCells& cells) {
    Put(cells, "fleeting", 1);
    Put(cells, "lasting", kHour);
    clock_.Advance(1);
    clock_.Jump(kMinute);
    const auto walked = [&](ExportCursor& cursor) {
      std::vector<std::string> keys;
      EXPECT_TRUE(cursor.WalkCells(table.kind, [&](const Cell& cell) {
        keys.push_back(cell.key);
        EXPECT_EQ(cell.expires_ms, clock_.NowMs() + kHour - 1);
        return base::Status();
      }));
      return keys;
    };
    const std::vector<std::string> lasting{"lasting"};
    EXPECT_EQ(walked(**store_->OpenExport({}, {}, {"p"})), lasting);
    const auto copy = store_->Copy({});
    ASSERT_TRUE(copy) << copy.error().message;
    const auto kept = walked(**store_->OpenCopy(copy->path()));
    EXPECT_EQ(kept, table.kind.of_agents ? std::vector<std::string>() : lasting);
  });
}

}  // namespace
}  // namespace memory
