// Tests the rows, and a row that changed on disk.
#include <gtest/gtest.h>

#include "lib/conversation/rows_fixture.h"
#include "lib/conversation/task/task_state.h"

namespace conversation {
namespace {

class TaskTable : public RowsTest {};
INSTANTIATE_TEST_SUITE_P(Rows, TaskTable, kBothEngines, EngineName);
class TaskTableOnDisk : public TaskTable {};
INSTANTIATE_TEST_SUITE_P(Rows, TaskTableOnDisk, testing::Values(Engine::kSqlite), EngineName);

TEST_P(TaskTable, StateIsReadAsWritten) {
  TaskState state;
  state.task = "deploy v2";
  ASSERT_TRUE(WriteTask(rows(), "c", state, 1));
  state.files_read.Push("Makefile");
  ASSERT_TRUE(WriteTask(rows(), "c", state, 2));
  EXPECT_TRUE(ReadTask(rows(), "c").value_or(TaskState()) == state);
  EXPECT_TRUE(ReadTask(rows(), "other").value_or(state).empty());
}

TEST_P(TaskTableOnDisk, DamagedRowIsEmptyAndNamed) {
  TaskState state;
  state.task = "deploy v2";
  ASSERT_TRUE(WriteTask(rows(), "c", state, 1));
  ASSERT_TRUE(database().Execute("UPDATE task_states SET state = replace(state, 'v2', 'v3')"));
  EXPECT_TRUE(ReadTask(rows(), "c").value_or(state).empty());
  const auto unsound = database().TakeUnsoundRows();
  ASSERT_EQ(unsound.size(), 1u);
  EXPECT_EQ(unsound[0].table, "task_states");
}

}  // namespace
}  // namespace conversation
