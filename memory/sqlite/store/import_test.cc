// Imported rows without an id or a time, from other programs.
#include "memory/sqlite/store/store_fixture.h"

namespace memory {
namespace {

class StoreImportTest : public StoreTest {
 protected:
  static ExportedRow Foreign(const std::string& content, int64_t id = 0) {
    const api::NewObservation note = Note(content);
    ExportedRow given;
    given.row.id = id;
    given.row.session_id = note.session_id, given.row.project = note.project;
    given.row.type = note.type, given.row.scope = note.scope, given.row.title = note.title;
    given.row.content = content;
    given.row.normalized_hash = api::NormalizedHash(content);
    return given;
  }
  Imported::Outcome MustImport(const ExportedRow& row, bool restore = false) {
    ImportOptions options;
    options.restore = restore;
    options.now_ms = kMidnight;
    auto outcomes = store_->Import({row}, options);
    EXPECT_TRUE(outcomes && outcomes->size() == 1 && outcomes->front());
    return outcomes->front()->outcome;
  }
};

TEST_F(StoreImportTest, UsedIdWithAnotherTextIsANewRow) {
  MustSave(Note("what was here"));
  EXPECT_EQ(MustImport(Foreign("what was here", 1)), Imported::kSkipped);
  EXPECT_EQ(MustImport(Foreign("from another vault", 1)), Imported::kNew);
  EXPECT_EQ(Find("vault"), Ids{2});
  EXPECT_EQ(MustImport(Foreign("from another vault", 1)), Imported::kSkipped);
}

TEST_F(StoreImportTest, DeletedRowWithoutIdIsRestoredOnlyOnRequest) {
  MustSave(Note("the zeppelin landed"));
  ASSERT_TRUE(store_->Delete(1, false, kMidnight));
  EXPECT_EQ(MustImport(Foreign("the zeppelin landed")), Imported::kSkippedDeleted);
  EXPECT_EQ(Find("zeppelin"), Ids{});
  EXPECT_EQ(MustImport(Foreign("the zeppelin landed"), true), Imported::kNew);
  EXPECT_EQ(Find("zeppelin"), Ids{1});
  EXPECT_EQ(MustImport(Foreign("the zeppelin landed")), Imported::kSkipped);
  ExpectSound();
}

}  // namespace
}  // namespace memory
