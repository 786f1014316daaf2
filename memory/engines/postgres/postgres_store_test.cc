// A store on a file and a store on a server answer alike: each answer, order and id.
#include "memory/engines/postgres/calls_fixture.h"

namespace memory {
namespace {

class PostgresStoreTest : public CallsTest {
 protected:
  void SetUp() override {
    CallsTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    Seed();
    auto file = SqliteStore::Open(scratch_.File("store"), Files());
    ASSERT_TRUE(file) << file.error().message;
    file_ = std::move(*file);
    engine_ = StartReplica();
    server_ = OpenIn(*engine_);
  }

  std::unique_ptr<SqliteStore> file_;
  std::unique_ptr<PostgresEngine> engine_;
  std::shared_ptr<Store> server_;
};

TEST_F(PostgresStoreTest, RandomCallsAnswerAsOnAFile) {
  for (int i = 0; i < 400; ++i) {
    const Call call = AnyCall();
    const std::string on_file = call(*file_), on_server = call(*server_);
    ASSERT_EQ(on_file, on_server) << "call " << i << ", seed " << seed_;
  }
}

}  // namespace
}  // namespace memory
