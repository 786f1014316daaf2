// Rows of traces in a file of the server's schema.
#include "memory/sqlite/traces/trace_rows.h"

#include <gtest/gtest.h>

#include "lib/sqlite/database.h"
#include "lib/testing/temporary_directory.h"
#include "memory/sqlite/tables/schema.h"

namespace memory {
namespace {

TraceRow RowAt(int64_t slot, const std::string& id, double strength) {
  TraceRow row;
  row.slot = slot;
  row.id = id;
  row.strength.value = strength;
  return row;
}

TEST(TraceRows, TraceIsReplacedBySlotAndKeepsIdsUnique) {
  const testing::TemporaryDirectory directory;
  auto file = sqlite::Database::Open(directory.File("x.db"), {});
  ASSERT_TRUE(file && sqlite::Migrate(*file, SchemaSteps()));
  ASSERT_TRUE(PutTrace(*file, RowAt(1, "mt_a", 1)));
  const base::Status taken = PutTrace(*file, RowAt(2, "mt_a", 1));
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, base::Code::kConflict) << taken.error().message;
  ASSERT_TRUE(PutTrace(*file, RowAt(1, "mt_b", 0.5)));
  auto read = file->Prepare("SELECT slot, uuid, strength FROM traces");
  ASSERT_TRUE(read && read->Step());
  EXPECT_EQ(read->Int(0), 1);
  EXPECT_EQ(read->Text(1), "mt_b");
  EXPECT_EQ(read->Real(2), 0.5);
  EXPECT_FALSE(*read->Step());
}

}  // namespace
}  // namespace memory
