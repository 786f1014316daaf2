// What readers may do to the log of a file. Real files.
#include <sys/stat.h>

#include "memory/store_fixture.h"

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

TEST_F(StoreLogTest, ASlowReaderOfAnExportHoldsNoLog) {
  WriteMany(3);
  auto cursor = store_->OpenExport({});
  ASSERT_TRUE(cursor);
  int sessions = 0;
  Ids seen;
  base::Status walked = (*cursor)->Walk(
      [&](const api::Session&) -> base::Status {
        ++sessions;
        return {};
      },
      [&](const ExportedRow& row) -> base::Status {
        seen.push_back(row.row.id);
        WriteMany(40);  // while the client takes its time
        return {};
      });
  EXPECT_TRUE(walked);
  EXPECT_EQ(sessions, 1);
  EXPECT_EQ(seen, (Ids{1, 2, 3}));
  EXPECT_LE(LogBytes(), 8 << 20) << "of 24 MB that were written";
}

TEST_F(StoreLogTest, AnExportOfManyPagesHasEachRowOnce) {
  WriteMany(12);
  for (int i = 0; i < 600; ++i) MustSave(Note("small " + std::to_string(i), i % 2 ? "p" : "q"));
  for (auto [project, rows] : {std::pair{std::optional<std::string>(), 612u}, {"q", 300u}}) {
    auto cursor = store_->OpenExport(project);
    ASSERT_TRUE(cursor);
    Ids seen;
    ASSERT_TRUE((*cursor)->Walk([](const api::Session&) { return base::Status(); },
                                [&](const ExportedRow& row) {
                                  seen.push_back(row.row.id);
                                  return base::Status();
                                }));
    EXPECT_EQ(seen.size(), rows);
    EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end(), std::less_equal<>()));
  }
}

}  // namespace
}  // namespace memory
