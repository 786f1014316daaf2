// A store on a file and a store on a server answer alike: each answer, order and id.
#include <iostream>

#include "lib/testing/eventually.h"
#include "memory/engines/postgres/calls_fixture.h"

namespace memory {
namespace {

// AGENT_MEMORY_TEST_SERIES=20 AGENT_MEMORY_TEST_CALLS=10000: the long run. SEED repeats a series.
int Asked(const char* variable, int otherwise) {
  const char* given = std::getenv(variable);
  return given ? std::atoi(given) : otherwise;
}

class PostgresStoreTest : public CallsTest {
 protected:
  void Open(int series) {
    file_.reset();
    server_.reset();
    engine_.reset();
    const std::string name = "series-" + std::to_string(series);
    auto file = SqliteStore::Open(scratch_.File(name), Files());
    ASSERT_TRUE(file) << file.error().message;
    file_ = std::move(*file);
    engine_ = StartReplica();
    // On a busy machine a connection may take longer than the 500 ms of a program.
    ASSERT_TRUE(testing::Eventually([&] {
      auto opened = engine_->Open(name);
      if (opened) server_ = *opened;
      return opened.has_value();
    }));
  }
  // All that an export has.
  static std::string Exported(Store& store) {
    std::string all;
    const auto cursor = store.OpenExport({});
    EXPECT_TRUE(cursor) << cursor.error().message;
    const auto add = [&](const base::Json& json) {
      all += base::DumpJson(json) + "\n";
      return base::Status();
    };
    EXPECT_TRUE((*cursor)->WalkSessions(
        [&](const api::Session& session) { return add(api::EncodeSession(session)); }));
    EXPECT_TRUE((*cursor)->WalkObservations(false, [&](const ExportedRow& row) {
      base::Json told = {api::EncodeObservation(row.row)};
      for (const Revision& one : row.revisions) told.push_back({one.revision, one.content});
      return add(told);
    }));
    EXPECT_TRUE(
        (*cursor)->WalkCells(kItemCells, [&](const Cell& cell) { return add(ToldCell(cell)); }));
    EXPECT_TRUE((*cursor)->WalkEpisodes([&](const Episode& episode) {
      return add({episode.id, episode.conversation, episode.summary});
    }));
    return all;
  }

  std::unique_ptr<SqliteStore> file_;
  std::unique_ptr<PostgresEngine> engine_;
  std::shared_ptr<Store> server_;
};

TEST_F(PostgresStoreTest, RandomCallsAnswerAsOnAFile) {
  const int series = Asked("AGENT_MEMORY_TEST_SERIES", 1),
            calls = Asked("AGENT_MEMORY_TEST_CALLS", 800);
  size_t answers = 0, errors = 0;
  for (int one = 0; one < series; ++one) {
    Seed();
    ids_ = 0;
    ASSERT_NO_FATAL_FAILURE(Open(one));
    for (int i = 0; i < calls; ++i) {
      if (random_() % 1000 == 0) ASSERT_NO_FATAL_FAILURE(Open(one));
      const Call call = AnyCall();
      const std::string on_file = call(*file_), on_server = call(*server_);
      ASSERT_EQ(on_file, on_server) << "call " << i << ", seed " << seed_;
      ++answers;
      errors += on_file.starts_with("error") ? 1 : 0;
    }
    const std::string exported = Exported(*file_);
    ASSERT_EQ(exported, Exported(*server_)) << "seed " << seed_;
    EXPECT_GT(exported.size(), 1000u);
    std::cout << "seed " << seed_ << ": " << calls << " calls, an export of " << exported.size()
              << " bytes\n";
  }
  EXPECT_LT(errors, answers / 2) << "calls that fail compare little";
}

}  // namespace
}  // namespace memory
