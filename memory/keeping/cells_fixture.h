// Test code: a suite over the engines of the seam, for tests of what stands above it.
// INSTANTIATE_TEST_SUITE_P(…, kAllEngines, EngineName).
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "memory/keeping/cells.h"
#include "memory/rows/fake_cells_fixture.h"
#include "memory/rows/fake_host_fixture.h"
#include "memory/sqlite/cells/cell_tables.h"
#include "memory/sqlite/items/item_rows.h"
#include "memory/sqlite/tables/migrated_file_fixture.h"

namespace memory {

enum class CellEngine { kFake, kShared, kItems };  // in memory; a table of SQLite
inline const auto kAllEngines =
    testing::Values(CellEngine::kFake, CellEngine::kShared, CellEngine::kItems);
inline std::string EngineName(const testing::TestParamInfo<CellEngine>& info) {
  if (info.param == CellEngine::kFake) return "Fake";
  return info.param == CellEngine::kShared ? "SqliteShared" : "SqliteItems";
}

class CellsTest : public testing::TestWithParam<CellEngine> {
 protected:
  CellsTest() {
    if (GetParam() == CellEngine::kFake) return;
    file_.emplace();
    if (GetParam() == CellEngine::kShared)
      on_disk_ = std::make_unique<TableCells>(file_->database(), *CellTables().back().statements);
    else
      on_disk_ = std::make_unique<ItemCells>(file_->database(), accesses_, nullptr);
  }
  Cells& cells() { return on_disk_ ? *on_disk_ : fake_; }

 private:
  FakeCells fake_;
  ItemAccesses accesses_;
  std::optional<MigratedFile> file_;
  std::unique_ptr<Cells> on_disk_;
};

}  // namespace memory
