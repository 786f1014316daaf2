// Tests the rows, and a row that changed on disk.
#include "lib/conversation/task/task_table.h"

#include <gtest/gtest.h>

#include "lib/testing/temporary_directory.h"

namespace conversation {
namespace {

TEST(TaskTable, ARowThatTheDiskChangedIsEmptyAndNamed) {
  const testing::TemporaryDirectory directory;
  auto db = sqlite::Database::Open(directory.File("x.db"), {});
  ASSERT_TRUE(db) << db.error().message;
  ASSERT_TRUE(sqlite::Migrate(*db, {kTaskStep}));
  TaskState state;
  state.task = "deploy v2";
  ASSERT_TRUE(WriteTask(*db, "c", state, 1));
  state.files_read.Push("Makefile");
  ASSERT_TRUE(WriteTask(*db, "c", state, 2));
  EXPECT_TRUE(ReadTask(*db, "c").value_or(TaskState()) == state);
  EXPECT_TRUE(ReadTask(*db, "other").value_or(state).empty());
  ASSERT_TRUE(db->Execute("UPDATE task_states SET state = replace(state, 'v2', 'v3')"));
  EXPECT_TRUE(ReadTask(*db, "c").value_or(state).empty());
  const auto unsound = db->TakeUnsoundRows();
  ASSERT_EQ(unsound.size(), 1u);
  EXPECT_EQ(unsound[0].table, "task_states");
  ASSERT_TRUE(RemoveTask(*db, "c"));
}

}  // namespace
}  // namespace conversation
