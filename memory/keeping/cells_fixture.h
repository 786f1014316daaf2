// Test code: a suite over the engines of the seam, for tests of what stands above it.
// INSTANTIATE_TEST_SUITE_P(…, kAllEngines, EngineName).
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "lib/testing/temporary_directory.h"
#include "memory/keeping/cells.h"
#include "memory/rows/fake_cells_fixture.h"
#include "memory/sqlite/items/item_rows.h"
#include "memory/sqlite/shared/sqlite_shared.h"
#include "memory/sqlite/tables/schema.h"

namespace memory {

enum class CellEngine { kFake, kShared, kItems };  // in memory; a table of SQLite
inline const auto kAllEngines =
    testing::Values(CellEngine::kFake, CellEngine::kShared, CellEngine::kItems);
inline std::string EngineName(const testing::TestParamInfo<CellEngine>& info) {
  if (info.param == CellEngine::kFake) return "Fake";
  return info.param == CellEngine::kShared ? "SqliteShared" : "SqliteItems";
}

// Runs each call on `cells` and counts those that write.
class CountingHost final : public CellHost {
 public:
  explicit CountingHost(Cells& cells) : cells_(cells) {}
  base::Status Read(const Work& work) override { return work(cells_); }
  base::Status Write(const Work& work, Space) override {
    ++writes;
    return work(cells_);
  }
  int writes = 0;

 private:
  Cells& cells_;
};

class CellsTest : public testing::TestWithParam<CellEngine> {
 protected:
  CellsTest() {
    if (GetParam() == CellEngine::kFake) return;
    auto file = sqlite::Database::Open(directory_.File("cells.db"), {});
    EXPECT_TRUE(file) << file.error().message;
    EXPECT_TRUE(sqlite::Migrate(*file, SchemaSteps()));
    file_.emplace(*std::move(file));
    EXPECT_TRUE(file_->Execute("PRAGMA synchronous = OFF"));
    if (GetParam() == CellEngine::kShared)
      on_disk_ = std::make_unique<SharedCells>(*file_);
    else
      on_disk_ = std::make_unique<ItemCells>(*file_, accesses_, nullptr);
  }
  Cells& cells() { return on_disk_ ? *on_disk_ : fake_; }

 private:
  const testing::TemporaryDirectory directory_;
  FakeCells fake_;
  ItemAccesses accesses_;
  std::optional<sqlite::Database> file_;
  std::unique_ptr<Cells> on_disk_;
};

}  // namespace memory
